// SPDX-License-Identifier: Apache-2.0
// An L1 queue that all warps of a block share; each warp runs its own script on it. MLMQ_TEST_QUEUE names the class.

#include "queues/l1_filter.cuh"
#include "queues/l1_near_far.cuh"
#include "queues/l1_of_block.cuh"
#include "queues/l1_slf.cuh"
#include "queues/l1_vector.cuh"
#include "script_runner.cuh"
#include "test_configuration.cuh"

SIMT_KERNEL(l1_block, mlmq::tests::script_arguments) {
  using namespace mlmq;
  using queue_of_warp = MLMQ_TEST_QUEUE<tests::configuration, tests::counters>;
  tests::counters counts;
  block_words* const block = reinterpret_cast<block_words*>(simt::shared_memory());
  if (simt::thread_in_block() == 0) {
    simt::store_atomic<simt::order::relaxed, simt::scope::block>(&block->status, static_cast<u32>(run_status::running));
  }
  u64* const storage = reinterpret_cast<u64*>(simt::shared_memory() + sizeof(block_words));
  l1_of_block<queue_of_warp, tests::counters> queue(storage, arguments.storage, block, counts);
  if (simt::warp_in_block() == 0) queue.initialise();
  simt::sync_block();
  tests::run_script(arguments, queue);
  counts.flush(arguments.counters);
}
