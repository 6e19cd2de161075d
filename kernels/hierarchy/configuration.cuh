// SPDX-License-Identifier: Apache-2.0
// The macros of a variant as constants, and the distances of a lane.
#pragma once

#include "hierarchy/extrema.cuh"
#include "hierarchy/hierarchy_abi.cuh"
#include "hierarchy/lengths.cuh"
#include "run_watch.cuh"
#include "simt/block_owned.cuh"
#include "work_counters.cuh"

namespace mlmq::hierarchy {

using counters = work_counters<MLMQ_COUNTERS != 0>;

/// Searches of each lane.
inline constexpr u32 lane_searches = MLMQ_LANE_SEARCHES;
inline constexpr u32 columns = group_columns(lane_searches);
/// Blocks that must fit on a multiprocessor.
inline constexpr u32 blocks = MLMQ_BLOCKS;

SIMT_DEVICE run_watch<run_status> watch_of(multi_source_control* control, u64 deadline) {
  return {&control->status, &control->host_abort, deadline};
}

/// Warp collective: waits until a word has a value, and orders later accesses of all lanes after those before its
/// release. @return false if the run is over
SIMT_DEVICE bool wait_for(const u32* word, u32 value, const run_watch<run_status>& watch) {
  u32 is_there = 1;
  if (simt::lane() == 0) {
    for (u32 looks = 0; simt::load_atomic<simt::order::acquire, simt::scope::device>(word) != value; ++looks) {
      if (looks % 64 == 63 && watch.end_if_due()) {
        is_there = 0;
        break;
      }
      simt::backoff(100);
    }
  }
  is_there = simt::shuffle(is_there, 0);
  simt::sync_warp();
  return is_there != 0;
}

}  // namespace mlmq::hierarchy
