// SPDX-License-Identifier: Apache-2.0
// L2 queues that nobody reads: the run ends as queue_full, and what has found room is still there.
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

/// Writers without readers, in a few schedules; more is written than fits.
template <class Check>
void fill(const l2_setting& setting, u32 capacity, unsigned blocks, const distances& distance, const Check& check) {
  for (const bool stalls : {false, true}) {
    test_device device = device_for_queues(stalls);
    const auto kernel = device->compile({"l2_traffic.cu", "l2_traffic", simt::warp_size, macros_of(setting)});
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      CAPTURE(setting.queue, setting.subqueues, capacity, blocks, stalls, seed);
      random_numbers random(seed);
      full_outcome found;
      for (u32 warp = 0; warp < blocks; ++warp) {
        found.scripts.push_back(random_script(random, 60, 100, warp << 20, distance));
      }
      found.launch = launch_of(setting, capacity, blocks + 1, simt::warp_size);
      found.launch.arguments.writer_blocks = blocks;
      found.launch.arguments.storage.full_wait_ns = 20'000;
      found.end = run(device, *kernel, found.launch, found.scripts, seed);
      REQUIRE(found.end.status() == run_status::queue_full);
      check(found);
    }
  }
}

/// All that a warp tried to write until the end, and of these what had been written when the run still went on.
struct attempts {
  elements all;
  elements accepted;
};

attempts attempts_of(const std::vector<record>& log) {
  attempts found;
  for (const record& one : log) {
    REQUIRE(one.what == event::written);
    append(found.all, elements_in(one));
    if (one.answer == static_cast<u32>(run_status::running)) append(found.accepted, elements_in(one));
  }
  return found;
}

const distances any_distance = [](random_numbers& random, u32) { return random.below(1000); };

/// `small` is part of `large`.
bool contains_all(const elements& large, const elements& small) {
  const elements a = sorted(large);
  const elements b = sorted(small);
  return std::includes(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

TEST_CASE("a full ring that nobody reads ends the run and keeps its elements") {
  const l2_setting setting =
      GENERATE(l2_setting{.queue = "l2_vector"}, l2_setting{.queue = "l2_bucket", .subqueues = 8, .delta = 1024});
  const unsigned writers = GENERATE(1u, 5u);
  const u32 capacity = 64;
  fill(setting, capacity, writers, any_distance, [&](const full_outcome& found) {
    // All distances are in one bucket: the ring with work holds the first turn, full to the last slot.
    const u32 ring = setting.is_bucket() ? 2 : 0;
    const elements inside(found.end.slots.begin() + ring * capacity, found.end.slots.begin() + (ring + 1) * capacity);
    CHECK(std::find(inside.begin(), inside.end(), mlmq::empty_slot) == inside.end());
    elements all;
    for (u32 warp = 0; warp < writers; ++warp) {
      const attempts tried = attempts_of(found.end.logs[warp]);
      REQUIRE(contains_all(inside, tried.accepted));
      append(all, tried.all);
      // One writer alone: what it wrote first, in its order. Among several, whoever comes first gets a slot.
      if (writers == 1) REQUIRE(inside == elements(all.begin(), all.begin() + capacity));
    }
    REQUIRE(std::set<u64>(inside.begin(), inside.end()).size() == inside.size());
    REQUIRE(contains_all(all, inside));
  });
}

TEST_CASE("a full heap that nobody reads ends the run and keeps its elements") {
  const l2_setting setting =
      GENERATE(l2_setting{.queue = "l2_heap"}, l2_setting{.queue = "l2_multi_heap", .subqueues = 2});
  const unsigned writers = GENERATE(1u, 5u);
  // Seven nodes; the first is not used.
  const u32 capacity = 256;
  fill(setting, capacity, writers, any_distance, [&](const full_outcome& found) {
    elements inside;
    std::size_t fullest = 0;
    for (u32 heap = 0; heap < setting.subqueues; ++heap) {
      const elements one = heap_content(found.end, found.launch, heap);
      fullest = std::max(fullest, one.size());
      append(inside, one);
    }
    // Not before there is no room on any path.
    CHECK(fullest == capacity - simt::warp_size);
    elements tried;
    std::size_t accepted = 0;
    for (u32 warp = 0; warp < writers; ++warp) {
      const attempts own = attempts_of(found.end.logs[warp]);
      append(tried, own.all);
      accepted += own.accepted.size();
    }
    // What was carried when the run ended is missing: for each writer less than a batch, and not always its own.
    CHECK(std::set<u64>(inside.begin(), inside.end()).size() == inside.size());
    REQUIRE(contains_all(tried, inside));
    REQUIRE(inside.size() >= accepted);
  });
}
