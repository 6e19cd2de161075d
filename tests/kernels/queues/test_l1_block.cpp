// SPDX-License-Identifier: Apache-2.0
// An L1 queue shared by the warps of a block: under any interleaving, nothing is lost or invented.
#include <catch2/catch.hpp>

#include "queue_test.hpp"

using namespace mlmq::tests;
using mlmq::counter;

TEST_CASE("an L1 queue of a block loses and invents nothing") {
  constexpr unsigned warps = 4;
  constexpr u32 capacity = 64;
  const std::string queue = GENERATE("l1_vector", "l1_near_far", "l1_filter", "l1_slf");
  for (const bool stalls : {false, true}) {
    test_device device = device_for_queues(stalls);
    const auto kernel = device->compile({"l1_block.cu",
                                         "l1_block",
                                         warps * simt::warp_size,
                                         {{"MLMQ_TEST_QUEUE", queue},
                                          {"MLMQ_TEST_CAPACITY", std::to_string(capacity)},
                                          {"MLMQ_TEST_WB", "7"},
                                          {"MLMQ_TEST_SPILL", "spill_worst"}}});
    queue_launch launch;
    launch.block_threads = warps * simt::warp_size;
    launch.shared_bytes = sizeof(mlmq::block_words) + sizeof(mlmq::l1_block_words) + capacity * sizeof(u64);
    launch.arguments.storage.l1_width = 200;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CAPTURE(queue, stalls, seed);
      random_numbers random(seed);
      std::vector<script> scripts;
      elements in;
      for (u32 warp = 0; warp < warps; ++warp) {
        scripts.push_back(random_script(random, 100, 50, warp << 20, [](random_numbers& numbers, u32 step) {
          return 4 * step + numbers.below(400);
        }));
        append(in, written_by(scripts.back()));
      }
      const queue_outcome outcome = run(device, *kernel, launch, scripts, seed);
      elements out;
      u64 read = 0;
      for (const auto& log : outcome.logs) {
        for (const record& entry : log) {
          append(out, elements_in(entry));
          read += entry.kind == event::spilled ? 0 : elements_in(entry).size();
        }
      }
      check_conserved(in, out);
      CHECK(outcome.count(counter::l1_reads) == read);
      CHECK(outcome.count(counter::l1_writes) == read + outcome.count(counter::l1_spills));
    }
  }
}
