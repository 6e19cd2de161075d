// SPDX-License-Identifier: Apache-2.0
// The macros of a variant as constants.
#pragma once

#include "distance.cuh"
#include "edges.cuh"
#include "work_counters.cuh"

namespace mlmq::batches {

using distance = MLMQ_DISTANCE;
using edges = MLMQ_EDGES;
using counters = work_counters<MLMQ_COUNTERS != 0>;

/// Words of a row in place, 0: rows between bounds alone.
inline constexpr u32 ell_width = MLMQ_ELL_WIDTH;
/// Whether rows in place are packed (packed_rows.cuh).
inline constexpr bool has_packed_rows = MLMQ_PACKED_ROWS != 0;
/// Elements of a frontier in shared memory; the others are in global memory.
inline constexpr u32 near_items = MLMQ_NEAR_ITEMS;
/// Rows of at least as many edges are relaxed by a warp together.
inline constexpr u32 heavy_degree = MLMQ_HEAVY_DEGREE;
/// Blocks that are to fit on a multiprocessor.
inline constexpr u32 blocks = MLMQ_BLOCKS;

}  // namespace mlmq::batches
