// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the L2 queues: the list of queues, and functions that read their memory after a run.
#pragma once

#include <set>

#include "queue_test.hpp"

namespace mlmq::tests {

/// An L2 queue under test.
struct l2_setting {
  std::string queue;
  u32 subqueues = 1;          ///< bmax or pnum
  u32 bnum = 1;               ///< number of buckets, from the window on, that are open
  u32 delta = 16;             ///< width of a bucket, a power of two
  bool adapts_delta = false;  ///< for a bucket queue: the kernel's manager changes Δ each time it checks the window
  [[nodiscard]] bool is_bucket() const { return queue == "l2_bucket"; }
  [[nodiscard]] bool is_heap() const { return queue == "l2_heap" || queue == "l2_multi_heap"; }
};

[[nodiscard]] inline macros macros_of(const l2_setting& setting) {
  return {{"MLMQ_TEST_QUEUE", setting.queue},
          {setting.is_bucket() ? "MLMQ_TEST_BMAX" : "MLMQ_TEST_PNUM", std::to_string(setting.subqueues)},
          {"MLMQ_TEST_BNUM", std::to_string(setting.bnum)},
          {"MLMQ_TEST_ADAPTS_DELTA", setting.adapts_delta ? "1" : "0"}};
}

/// @param capacity slots of each subqueue
[[nodiscard]] inline queue_launch launch_of(const l2_setting& setting, u32 capacity, unsigned blocks,
                                            unsigned threads) {
  queue_launch launch;
  launch.grid_blocks = blocks;
  launch.block_threads = threads;
  launch.shared_bytes = sizeof(block_words) + threads / simt::warp_size * simt::warp_size * sizeof(u64);
  launch.subqueues = setting.subqueues;
  launch.capacity = capacity;
  launch.headers = setting.is_heap();
  launch.arguments.storage.buckets_per_key = 1.0f / static_cast<float>(setting.delta);
  // Longer than any wait in a run that has readers.
  launch.arguments.storage.full_wait_ns = 10'000'000;
  return launch;
}

/// Returns the counts of one subqueue at the end of a run: x taken, y written, z (rings only) claimed.
[[nodiscard]] inline simt::quad counts_of(const queue_outcome& outcome, u32 subqueue) {
  return outcome.control.subqueues[subqueue].words;
}

/// Returns the elements of a ring between its counts, oldest first. Fails the test if a slot outside the counts is not
/// empty, or if a slot between them is.
[[nodiscard]] elements ring_content(const queue_outcome& outcome, const queue_launch& launch, u32 subqueue);

/// Returns all elements of a heap, sorted. Fails the test if a node is not sorted, holds an element larger than one
/// below it, is empty above a node that is not, or is locked.
[[nodiscard]] elements heap_content(const queue_outcome& outcome, const queue_launch& launch, u32 heap);

}  // namespace mlmq::tests
