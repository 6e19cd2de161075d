// SPDX-License-Identifier: Apache-2.0
// A warp-level (L1) queue over a lower level that records. MLMQ_TEST_QUEUE names the class.

#include "queues/l1_filter.cuh"
#include "queues/l1_near_far.cuh"
#include "queues/l1_slf.cuh"
#include "queues/l1_vector.cuh"
#include "queues/none.cuh"
#include "script_runner.cuh"
#include "test_configuration.cuh"

SIMT_KERNEL(l1_operations, mlmq::tests::script_arguments) {
  using namespace mlmq;
  using queue_under_test = MLMQ_TEST_QUEUE<tests::configuration, tests::counters>;
  tests::counters counts;
  u64* const storage =
      reinterpret_cast<u64*>(simt::shared_memory()) + simt::warp_in_block() * queue_under_test::storage;
  queue_under_test queue(storage, arguments.storage, nullptr, counts);
  tests::run_script(arguments, queue);
  counts.flush(arguments.counters);
}
