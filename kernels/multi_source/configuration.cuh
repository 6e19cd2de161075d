// SPDX-License-Identifier: Apache-2.0
// The macros of a variant as constants.
#pragma once

#include "distance_width.cuh"
#include "multi_source/multi_source_abi.cuh"
#include "work_counters.cuh"

namespace mlmq::multi_source {

using distance = MLMQ_DISTANCE;
using edges = MLMQ_EDGES;
using width = distance_width<distance>;
/// A distance of 4 or 8 bytes.
using word = width::word;
using counters = work_counters<MLMQ_COUNTERS != 0>;

/// Words of a row in place; 0: only rows between bounds.
inline constexpr u32 ell_width = MLMQ_ELL_WIDTH;
/// Whether rows in place are packed (packed_rows.cuh).
inline constexpr bool has_packed_rows = MLMQ_PACKED_ROWS != 0;
/// Elements of a frontier in shared memory; the rest is in global memory.
inline constexpr u32 near_items = MLMQ_NEAR_ITEMS;
/// Rows with at least this many edges are relaxed by a whole warp.
inline constexpr u32 heavy_degree = MLMQ_HEAVY_DEGREE;
/// Blocks that must fit on a multiprocessor.
inline constexpr u32 blocks = MLMQ_BLOCKS;

#ifndef MLMQ_REDUCED
#define MLMQ_REDUCED 0
#endif
/// Whether the searches are of the core of a reduced graph. An enumerator, because a variable would be part of the
/// machine code of every variant.
enum : bool { has_core = MLMQ_REDUCED != 0 };
#if MLMQ_REDUCED
using block_search_arguments = core_search_arguments;
#else
using block_search_arguments = multi_source_arguments;
#endif

/// Distances in the arguments.
SIMT_DEVICE word* words_at(u32* distances) { return reinterpret_cast<word*>(distances); }

SIMT_DEVICE word cutoff_of(const multi_source_arguments& arguments) {
  if constexpr (width::has_exact_keys) {
    return arguments.cutoff;
  } else {
    return arguments.wide_cutoff;
  }
}

}  // namespace mlmq::multi_source
