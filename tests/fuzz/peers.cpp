// SPDX-License-Identifier: Apache-2.0
// Files that describe other programs, and what such a program prints.
#include "base/error.hpp"
#include "compare/peer.hpp"
#include "tests/fuzz/require.hpp"

using namespace mlmq;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::as_text(data, size);
  try {
    for (const compare::peer& peer : compare::parse_peers(std::string(text), "peers.yaml")) {
      require(!peer.command.empty(), "a peer has a command");
      require(compare::command_line(peer, {}).size() == peer.command.size(), "placeholders stand within words");
      (void)compare::read_output(peer, "time: 1.5 ms\nreached 3 of 4\nsum=12 largest=7\n");
    }
  } catch (const input_error&) {
  }
  return 0;
}
