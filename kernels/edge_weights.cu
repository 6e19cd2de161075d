// SPDX-License-Identifier: Apache-2.0
// Copies new weights of a graph's edges from a caller's device memory, and checks them on the way.
#include "edge_weights_abi.cuh"
#include "simt/simt.cuh"
#include "weight_checks.cuh"

using namespace simt;
using namespace mlmq;

SIMT_KERNEL(edge_weights, mlmq::edge_weights_arguments) {
  const u64 thread = static_cast<u64>(block_index()) * block_threads() + thread_in_block();
  const u64 threads = static_cast<u64>(grid_blocks()) * block_threads();
  u64 invalid = no_fault;
  u64 heaviest_complement = ~0ull;
  weight_sum sum;
  const bool is_float = arguments.float_weights != 0;
  for (u64 edge = thread; edge < arguments.edges; edge += threads) {
    u32 weight = load_readonly(arguments.weights + edge);
    // The bits of a negative zero would order above every distance.
    if (is_float && weight == negative_zero) weight = 0;
    if (is_invalid_weight(weight, is_float) && edge < invalid) invalid = edge;
    if (~static_cast<u64>(weight) < heaviest_complement) heaviest_complement = ~static_cast<u64>(weight);
    sum.add(weight, is_float);
    store(arguments.copy + edge, weight);
  }
  sync_warp();
  lower_by_warp(&arguments.summary->invalid, invalid);
  lower_by_warp(&arguments.summary->heaviest_complement, heaviest_complement);
  sum.store(arguments.weight_sums, thread, is_float);
}
