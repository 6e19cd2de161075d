// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel edge_weights.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// All ones at the start.
struct edge_weights_summary {
  u64 invalid;              ///< the first edge with an invalid weight; all ones if there is none
  u64 heaviest_complement;  ///< complement of the largest bits of a weight
};

struct edge_weights_arguments {
  const u32* weights;  ///< bits of the caller's weights
  u32* copy;
  edge_weights_summary* summary;
  u64* weight_sums;  ///< one per warp of the grid: sums of integer weights, or the bits of a double
  u64 edges;
  u32 float_weights;
};

}  // namespace mlmq
