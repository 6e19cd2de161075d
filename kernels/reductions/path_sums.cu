// SPDX-License-Identifier: Apache-2.0
// Sums a quantity of the edges along a shortest path of each pair of a search and a vertex. A thread walks a path back
// from its end: from a vertex v over the first edge (u, v) whose weight is the difference of the distances. Each edge
// must add to the distance, so that the walk visits no vertex twice and ends. Vertices that are reached only over
// edges that add nothing are left to the host.
#include "multi_source/stop_watch.cuh"
#include "reductions/batch_words.cuh"
#include "reductions/path_sums_abi.cuh"
#include "simt/wide.cuh"

namespace mlmq::reductions {

/// Edges of a path between two looks at the words that end the run; a power of two.
inline constexpr u32 edges_between_checks = 64;

struct path_end {
  u32 row;
  word distance;
  u64 sum;  ///< of the edges behind this end
};

/// Moves the end of a path back over one edge. @return whether there is an edge that adds to the distance
SIMT_DEVICE bool step_back(const path_sum_arguments& arguments, const word* words, path_end& end) {
  using simt::wide_pair;
  const wide_pair range = simt::load_readonly(reinterpret_cast<const wide_pair*>(arguments.ranges + end.row));
  for (u64 i = range.x; i < range.y; ++i) {
    const wide_pair edge = simt::load_readonly(reinterpret_cast<const wide_pair*>(arguments.edges + i));
    const u32 source = static_cast<u32>(edge.x);
    const word distance = simt::load(words + u64{source} * arguments.batch.group_columns);
    if (distance >= end.distance || MLMQ_DISTANCE::extend(distance, static_cast<word>(edge.y)) != end.distance)
      continue;
    end = {source, distance, end.sum + (edge.x >> 32)};
    return true;
  }
  return false;
}

/// Returns the sum of a path. @param words distances of the search @param source, target rows
SIMT_DEVICE u64 path_sum(const path_sum_arguments& arguments, const word* words, u32 source, u32 target) {
  const word distance = simt::load(words + u64{target} * arguments.batch.group_columns);
  if (distance > arguments.batch.farthest) return no_result;
  path_end end{target, distance, 0};
  for (u32 edges = 1; end.row != source; ++edges) {
    if (!step_back(arguments, words, end)) return unresolved_path;
    if (edges % edges_between_checks == 0 && multi_source::watch_of(arguments.control, 0).end_if_due(false))
      return no_result;
  }
  return end.sum;
}

}  // namespace mlmq::reductions

SIMT_KERNEL(path_sums, mlmq::path_sum_arguments) {
  using namespace mlmq::reductions;
  const mlmq::distance_batch& batch = arguments.batch;
  const u32 warps = simt::grid_blocks() * simt::block_threads() / simt::warp_size;
  const u64 tasks = u64{batch.columns} * arguments.pieces;
  u64 task = simt::block_index() * simt::block_threads() / simt::warp_size + simt::warp_in_block();
  for (; task < tasks; task += warps) {
    const u32 column = static_cast<u32>(task % batch.columns);
    const u32 search = search_of(batch, column);
    const u32 source = row_of(batch, simt::load_readonly(arguments.sources + search));
    const u32 end = simt::load_readonly(arguments.first_pair + search + 1);
    u64 pair = simt::load_readonly(arguments.first_pair + search) + task / batch.columns * simt::warp_size;
    for (pair += simt::lane(); pair < end; pair += u64{arguments.pieces} * simt::warp_size) {
      const u32 target = row_of(batch, simt::load_readonly(arguments.vertices + pair));
      simt::store(arguments.results + pair, path_sum(arguments, column_words(batch, column), source, target));
    }
    if (mlmq::multi_source::watch_of(arguments.control, 0).end_if_due(false)) return;
  }
}
