// SPDX-License-Identifier: Apache-2.0
// What the host and a kernel that records a timeline agree on.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Number of intervals; all are equally long.
inline constexpr u32 timeline_intervals = 1024;

/// Followed by two tables of words (u32), of `warp_words` for each of timeline_intervals intervals: each word is for 32
/// neighbouring warps of the grid, and holds in the first table how many vertices they read, in the second a bit for each
/// that was at work. One count for the whole grid would be a word that all warps wait for. All is zero at the start of a
/// run but for the two last members.
struct timeline_header {
  u64 origin_ns;       ///< clock when the first vertex was read; 0 before
  u32 interval_shift;  ///< an interval is 2^interval_shift nanoseconds long
  u32 warp_words;
};

}  // namespace mlmq
