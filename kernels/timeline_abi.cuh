// SPDX-License-Identifier: Apache-2.0
// What the host and a kernel that records a timeline agree on.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Intervals that are told apart; all are equally long.
inline constexpr u32 timeline_intervals = 1024;

/// Followed by timeline_intervals counts of vertices (u32), then for each interval `warp_words` words (u32) with a bit for
/// each warp of the grid that was at work. All is zero at the start of a run but for the two last members.
struct timeline_header {
  u64 origin_ns;       ///< clock when the first vertex was read; 0 before
  u32 interval_shift;  ///< an interval is 2^interval_shift nanoseconds long
  u32 warp_words;
};

}  // namespace mlmq
