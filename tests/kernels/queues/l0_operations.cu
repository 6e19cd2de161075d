// SPDX-License-Identifier: Apache-2.0
// A thread-level (L0) queue over a lower level that records. MLMQ_TEST_QUEUE names the class.

#include "queues/l0_vector.cuh"
#include "queues/none.cuh"
#include "script_runner.cuh"
#include "test_configuration.cuh"

SIMT_KERNEL(l0_operations, mlmq::tests::script_arguments) {
  using namespace mlmq;
  tests::counters counts;
  u64* const exchange = reinterpret_cast<u64*>(simt::shared_memory()) + simt::warp_in_block() * simt::warp_size;
  MLMQ_TEST_QUEUE<tests::configuration, tests::counters> queue(exchange, counts);
  tests::run_script(arguments, queue);
  counts.flush(arguments.counters);
}
