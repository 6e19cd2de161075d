// SPDX-License-Identifier: Apache-2.0
// L2 queues without readers: the run ends as queue_full, and the accepted elements are still inside.
#include <algorithm>
#include <catch2/catch.hpp>

#include "l2_test.hpp"

using namespace mlmq::tests;
using mlmq::run_status;

namespace {

struct full_outcome {
  queue_launch launch;
  std::vector<script> scripts;
  queue_outcome end;
};

/// Runs writers without readers under a few schedules; more is written than fits.
template <class Check>
void fill(const l2_setting& setting, u32 capacity, unsigned blocks, const distances& distance, const Check& check) {
  for (const bool stalls : {false, true}) {
    test_device device = device_for_queues(stalls);
    const auto kernel = device->compile({"l2_traffic.cu", "l2_traffic", simt::warp_size, macros_of(setting)});
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      CAPTURE(setting.queue, setting.subqueues, capacity, blocks, stalls, seed);
      random_numbers random(seed);
      full_outcome outcome;
      for (u32 warp = 0; warp < blocks; ++warp) {
        outcome.scripts.push_back(random_script(random, 60, 100, warp << 20, distance));
      }
      outcome.launch = launch_of(setting, capacity, blocks + 1, simt::warp_size);
      outcome.launch.arguments.writer_blocks = blocks;
      outcome.launch.arguments.storage.full_wait_ns = 20'000;
      outcome.end = run(device, *kernel, outcome.launch, outcome.scripts, seed);
      REQUIRE(outcome.end.status() == run_status::queue_full);
      check(outcome);
    }
  }
}

/// All elements that a warp tried to write, and those written before the run ended.
struct attempts {
  elements tried;
  elements accepted;
};

attempts attempts_of(const std::vector<record>& log) {
  attempts result;
  for (const record& entry : log) {
    REQUIRE(entry.kind == event::written);
    append(result.tried, elements_in(entry));
    if (entry.answer == static_cast<u32>(run_status::running)) append(result.accepted, elements_in(entry));
  }
  return result;
}

const distances any_distance = [](random_numbers& random, u32) { return random.below(1000); };

/// Returns whether `small` is part of `large`.
bool contains_all(const elements& large, const elements& small) {
  const elements a = sorted(large);
  const elements b = sorted(small);
  return std::includes(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST_CASE("a full ring without readers ends the run and keeps its elements") {
  const l2_setting setting =
      GENERATE(l2_setting{.queue = "l2_vector"}, l2_setting{.queue = "l2_bucket", .subqueues = 8, .delta = 1024});
  const unsigned writers = GENERATE(1u, 5u);
  const u32 capacity = 64;
  fill(setting, capacity, writers, any_distance, [&](const full_outcome& outcome) {
    // All distances are in one bucket: this ring has the first turn with work, and is full to the last slot.
    const u32 ring = setting.is_bucket() ? 2 : 0;
    const elements inside(outcome.end.slots.begin() + ring * capacity,
                          outcome.end.slots.begin() + (ring + 1) * capacity);
    CHECK(std::find(inside.begin(), inside.end(), mlmq::empty_slot) == inside.end());
    elements values;
    for (u32 warp = 0; warp < writers; ++warp) {
      const attempts tried = attempts_of(outcome.end.logs[warp]);
      REQUIRE(contains_all(inside, tried.accepted));
      append(values, tried.tried);
      // A single writer fills the ring in its own order; several writers compete for the slots.
      if (writers == 1) REQUIRE(inside == elements(values.begin(), values.begin() + capacity));
    }
    REQUIRE(std::set<u64>(inside.begin(), inside.end()).size() == inside.size());
    REQUIRE(contains_all(values, inside));
  });
}

TEST_CASE("a full heap without readers ends the run and keeps its elements") {
  const l2_setting setting =
      GENERATE(l2_setting{.queue = "l2_heap"}, l2_setting{.queue = "l2_multi_heap", .subqueues = 2});
  const unsigned writers = GENERATE(1u, 5u);
  // There are seven nodes; the first is not used.
  const u32 capacity = 256;
  fill(setting, capacity, writers, any_distance, [&](const full_outcome& outcome) {
    elements inside;
    std::size_t fullest = 0;
    for (u32 heap = 0; heap < setting.subqueues; ++heap) {
      const elements content = heap_content(outcome.end, outcome.launch, heap);
      fullest = std::max(fullest, content.size());
      append(inside, content);
    }
    // The run must not end before there is no room on any path.
    CHECK(fullest == capacity - simt::warp_size);
    elements tried;
    std::size_t accepted = 0;
    for (u32 warp = 0; warp < writers; ++warp) {
      const attempts warp_attempts = attempts_of(outcome.end.logs[warp]);
      append(tried, warp_attempts.tried);
      accepted += warp_attempts.accepted.size();
    }
    // Elements in transit at the end are missing: less than a batch per writer, and not always its own elements.
    CHECK(std::set<u64>(inside.begin(), inside.end()).size() == inside.size());
    REQUIRE(contains_all(tried, inside));
    REQUIRE(inside.size() >= accepted);
  });
}
