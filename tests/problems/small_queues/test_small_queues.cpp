// SPDX-License-Identifier: Apache-2.0
// Every small queue under some schedules; mlmq check runs many more.
#include <catch2/catch.hpp>

#include "problems/small_queues/fuzzed_queue.hpp"
#include "tests/support/share.hpp"

using namespace mlmq;

namespace {

backends::simulator::simulator_settings settings_of(bool stalls) {
  backends::simulator::simulator_settings settings;
  settings.weak_memory_cycles = 40'000;
  settings.stall_every = stalls ? 50 : 0;
  return settings;
}

}  // namespace

TEST_CASE("small queues agree with a sequential queue, under every schedule") {
  const std::string label = GENERATE(from_range(tests::share_of(problems::fuzzed_queues())));
  const auto fuzzed = problems::make_fuzzed_queue(label);
  for (const bool stalls : {false, true}) {
    backends::simulator::simt_backend device("simt:2x8", settings_of(stalls));
    const auto kernel = device.compile(fuzzed->variant());
    for (std::uint64_t seed = stalls ? 1000 : 1; seed % 1000 < 20; ++seed) {
      INFO(label << ", seed " << seed);
      const auto result = fuzzed->run(device, *kernel, seed);
      REQUIRE(result.message == "");
      REQUIRE(result.operations > 0);
    }
  }
}
