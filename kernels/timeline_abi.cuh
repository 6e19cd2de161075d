// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and kernels that record a timeline.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

/// Number of intervals; all are equally long.
inline constexpr u32 timeline_intervals = 1024;

/// Followed by two tables of words (u32) and a parallelism_record. The tables have `warp_words` words for each of
/// timeline_intervals intervals. Each word is for 32 neighbouring warps of the grid: the first table counts the
/// vertices they read, the second has one bit per warp that was at work. All warps would contend for a single count of
/// the whole grid. All words are zero at the start of a run, except the last two members.
struct timeline_header {
  u64 origin_ns;       ///< clock when the first vertex was read; 0 before
  u32 interval_shift;  ///< an interval is 2^interval_shift nanoseconds long
  u32 warp_words;
};

/// How many vertices a search offers to the grid at the same time (the parallelism of ADDS, Fig. 11 to 15): a search in
/// supersteps its frontier, ADDS what is assigned to workers. Only these searches write it. All words are zero at the
/// start of a run.
struct parallelism_record {
  u64 changed_ns;                     ///< clock at the last change
  u64 vertices;                       ///< since the last change
  u64 vertex_ns[timeline_intervals];  ///< by interval: the sum of vertices times how long they were offered
};

/// Words (u32) before the parallelism_record.
constexpr u64 parallelism_word(u32 warp_words) {
  return sizeof(timeline_header) / sizeof(u32) + u64{2} * timeline_intervals * warp_words;
}

}  // namespace mlmq
