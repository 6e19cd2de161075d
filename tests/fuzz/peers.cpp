// SPDX-License-Identifier: Apache-2.0
// Files that describe other programs, and the output of such programs.
#include "backends/registry.hpp"
#include "base/error.hpp"
#include "problems/peers/peer.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

using namespace mlmq;
using fuzz::require;

namespace {

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
// The names of backends that the program knows, without the backends' code.
const backends::backend_registration gpus({.name = "cuda", .selectors = "cuda", .traits = {}, .preference = 1});
const backends::backend_registration processors({.name = "cpu", .selectors = "cpu", .traits = {.grid = false}});
#endif

/// Returns whether a pattern has large or several repetitions. Such patterns take seconds to compile and are then
/// refused: known and harmless.
bool has_large_repetition(std::string_view text) {
  int repetitions = 0;
  int digits = 0;  // counts from 1 within braces
  for (const char c : text) {
    if (c == '{')
      digits = 1;
    else if (c < '0' || c > '9')
      digits = 0;
    else if (digits > 0 && ++digits == 2)
      ++repetitions;
    if (digits > 3 || repetitions > 1) return true;
  }
  return false;
}

}  // namespace

void mlmq::fuzz::peers(std::string_view text) {
  if (has_large_repetition(text)) return;
  try {
    for (const peers::peer& program : peers::parse_peers(std::string(text), "peers.yaml")) {
      require(!program.command.empty(), "a peer has a command");
      require(peers::command_line(program, {}).size() == program.command.size(), "placeholders stand within words");
      (void)peers::read_output(program, "time: 1.5 ms\nreached 3 of 4\nsum=12 largest=7\n");
    }
  } catch (const input_error&) {
  }
}
