// SPDX-License-Identifier: Apache-2.0
// Writes distances by search: the rows of a group have one vertex each, the results one search each. A warp transposes
// up to 32 vertices of 32 searches at a time in shared memory, so that both sides are read and written in full lines.
#pragma once

#include "hierarchy/configuration.cuh"

namespace mlmq::hierarchy {

class gather {
 public:
  /// @param tile  shared memory
  /// @param words size of this memory, at least 33
  SIMT_DEVICE gather(const hierarchy_arguments& arguments, u32* tile, u32 words)
      : arguments_(arguments), tile_(tile), tile_vertices_(smaller(simt::warp_size, words / pitch)) {}

  /// Returns the number of tasks for this many outputs of each search.
  SIMT_DEVICE static u32 tasks_of_group(u32 outputs) { return (outputs + gathered_outputs - 1) / gathered_outputs; }

  /// Warp collective: writes the outputs of one task. @return false if the run is over
  /// @param row_of row of each output
  /// @param results `outputs` words per search
  SIMT_DEVICE bool run(u32 task, u32 outputs, const u32* row_of, u32* results, const run_watch<run_status>& watch) {
    const u32 group = task / tasks_of_group(outputs);
    const u32 begin = task % tasks_of_group(outputs) * gathered_outputs;
    const u32 end = smaller(outputs, begin + gathered_outputs);
    if (!wait_for(arguments_.swept + group, arguments_.piece_count, watch)) return false;
    const u32* const rows = arguments_.rows + u64{group} * arguments_.row_count * columns;
    for (u32 first = begin; first < end; first += tile_vertices_) {
      const u32 count = smaller(tile_vertices_, end - first);
      for (u32 column = 0; column < columns; column += simt::warp_size) {
        for (u32 i = 0; i < count; ++i) {
          const u32 row = simt::load(row_of + first + i);
          simt::store(tile_ + i * pitch + simt::lane(), simt::load(rows + u64{row} * columns + column + simt::lane()));
        }
        simt::sync_warp();
        for (u32 i = 0; i < simt::warp_size && group * columns + column + i < arguments_.searches; ++i) {
          const u32 search = simt::load(arguments_.column_searches + group * columns + column + i);
          if (simt::lane() < count) {
            const u32 distance = simt::load(tile_ + simt::lane() * pitch + i);
            simt::store(results + u64{search} * outputs + first + simt::lane(), result_of(distance));
          }
        }
        simt::sync_warp();
      }
    }
    return true;
  }

 private:
  static constexpr u32 pitch = simt::warp_size + 1;

  SIMT_DEVICE u32 result_of(u32 distance) const { return distance <= arguments_.cutoff ? distance : unreached; }

  const hierarchy_arguments& arguments_;
  u32* tile_;
  u32 tile_vertices_;
};

}  // namespace mlmq::hierarchy
