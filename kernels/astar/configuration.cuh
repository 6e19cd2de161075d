// SPDX-License-Identifier: Apache-2.0
// The macros of a variant as constants.
#pragma once

#include "astar/astar_abi.cuh"
#include "simt/simt.cuh"

namespace path_finding {

/// Whether lengths are exact. Otherwise the search is that of the paper: it ends when the goal is among the taken
/// cells, opens no cell twice, and has half floats as lengths.
inline constexpr bool exact_mode = MLMQ_EXACT != 0;
/// Jump point search; exact mode only.
inline constexpr bool jumping = MLMQ_JUMP != 0;
inline constexpr bool corners_cut = MLMQ_CORNERS_CUT != 0;
inline constexpr bool table_in_shared = MLMQ_TABLE_SHARED != 0;
inline constexpr bool moves_in_shared = MLMQ_MOVES_SHARED != 0;
inline constexpr bool write_paths = MLMQ_PATHS != 0;
inline constexpr bool counting = MLMQ_COUNTERS != 0;
/// Number of cells that are expanded together; eight lanes work on each.
inline constexpr u32 cells_at_once = MLMQ_CELLS;
inline constexpr u32 cells_in_pass = simt::warp_size / 8;
inline constexpr u32 passes = (cells_at_once + cells_in_pass - 1) / cells_in_pass;

/// Log2 of the number of buckets in the ring.
inline constexpr u32 bucket_bits = MLMQ_BUCKET_BITS;
inline constexpr u32 near_items = MLMQ_NEAR_ITEMS;

#if MLMQ_ITEM_BYTES == 2
using cell_item = unsigned short;
#else
using cell_item = u32;
#endif

}  // namespace path_finding
