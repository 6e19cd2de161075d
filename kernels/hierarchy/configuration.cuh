// SPDX-License-Identifier: Apache-2.0
// The macros of a variant as constants, and the distances of a lane.
#pragma once

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

/// Words that a lane reads at a time.
inline constexpr u32 part_words = lane_searches < 4 ? lane_searches : 4;
inline constexpr u32 parts = lane_searches / part_words;

/// Distances that are read together.
struct alignas(part_words * sizeof(u32)) distance_part {
  u32 words[part_words];
};

/// The distances of one vertex in all searches of a lane. In memory, the same parts of all lanes are adjacent.
struct lane_distances {
  u32 words[lane_searches];
};

/// Returns the column of a lane's search, within the group.
SIMT_DEVICE u32 column_of(u32 search) {
  return (search / part_words * simt::warp_size + simt::lane()) * part_words + search % part_words;
}

/// Loads this lane's distances. @param vertex_words the distances of a vertex in all columns
SIMT_DEVICE lane_distances load_distances(const u32* vertex_words) {
  lane_distances distances;
  for (u32 i = 0; i < parts; ++i) {
    const distance_part part =
        simt::load(reinterpret_cast<const distance_part*>(vertex_words) + i * simt::warp_size + simt::lane());
    for (u32 k = 0; k < part_words; ++k) distances.words[i * part_words + k] = part.words[k];
  }
  return distances;
}

SIMT_DEVICE void store_distances(u32* vertex_words, const lane_distances& distances) {
  for (u32 i = 0; i < parts; ++i) {
    distance_part part;
    for (u32 k = 0; k < part_words; ++k) part.words[k] = distances.words[i * part_words + k];
    simt::store(reinterpret_cast<distance_part*>(vertex_words) + i * simt::warp_size + simt::lane(), part);
  }
}

SIMT_DEVICE u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

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
