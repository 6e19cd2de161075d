// SPDX-License-Identifier: Apache-2.0
// Shortest paths from a few sources by an elimination hierarchy, with all warps of the device for each of them.
//
// Arcs have the lengths of shortest paths over any vertices. Therefore one relaxation of all arcs of a supernode finds
// the distances of its vertices: whatever a path between two of them visits, the arc between them is as short. The
// levels of supernodes, some dozens, are visited one after the other, instead of the vertices of a path in the tree,
// of which there are hundreds: upwards from each source by one block, then downwards by all blocks, with a barrier of
// the grid after each level.
#include "block_barrier.cuh"
#include "hierarchy/extrema.cuh"
#include "hierarchy/lengths.cuh"
#include "hierarchy/supernode_abi.cuh"
#include "run_watch.cuh"
#include "simt/block_owned.cuh"
#include "work_counters.cuh"

namespace mlmq::hierarchy {

using counters = work_counters<MLMQ_COUNTERS != 0>;

inline constexpr u32 columns = MLMQ_COLUMNS;

/// The distances of one vertex.
struct alignas(columns * sizeof(u32)) column_distances {
  u32 words[columns];
};

class supernode_search {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE supernode_search(const supernode_arguments& arguments, u32* shared, counters& counts)
      : arguments_(arguments),
        counts_(counts),
        barrier_({&arguments.control->status, &arguments.control->host_abort, deadline(arguments)},
                 &arguments.progress->arrived, &arguments.progress->generation, simt::grid_blocks(),
                 simt::block_index() == 0, shared) {}

  SIMT_DEVICE void run() {
    for (u32 i = thread(); i < arguments_.vertex_count * columns; i += threads())
      simt::store(arguments_.from_below + i, no_path);
    if (!barrier_.wait()) return;
    for (u32 column = simt::block_index(); column < arguments_.searches; column += simt::grid_blocks()) ascend(column);
    if (!barrier_.wait()) return;
    for (u32 level = 0; level < arguments_.levels; ++level) {
      const u32* const bounds = arguments_.level_bounds + 2 * level;
      const u32 first_narrow = simt::load_readonly(bounds + 1);
      sweep<simt::warp_size>(simt::load_readonly(bounds), first_narrow);
      sweep<narrow_lanes>(first_narrow, simt::load_readonly(bounds + 2));
      if (!barrier_.wait()) return;
    }
    if (arguments_.target_distances != nullptr) write_target_distances();
    if (arguments_.answers != nullptr) add_answers();
  }

 private:
  static constexpr barrier_periods periods = {.leader = 4, .abort = 64, .clock = 1024, .pause = 16};
  static_assert(columns <= narrow_lanes);

  SIMT_DEVICE static u32 thread() { return simt::block_index() * simt::block_threads() + simt::thread_in_block(); }
  SIMT_DEVICE static u32 threads() { return simt::grid_blocks() * simt::block_threads(); }
  SIMT_DEVICE static u32 warp() { return thread() / simt::warp_size; }
  SIMT_DEVICE static u32 warps() { return threads() / simt::warp_size; }
  /// Returns the end of the time of a run, for all its launches in the first thread, which leads the barrier.
  SIMT_DEVICE static u64 deadline(const supernode_arguments& arguments) {
    u64 begin_ns = simt::clock_ns();
    if (thread() == 0) {
      const u64 recorded_ns = simt::load(&arguments.progress->begin_ns);
      if (recorded_ns == 0) simt::store(&arguments.progress->begin_ns, begin_ns);
      if (recorded_ns != 0) begin_ns = recorded_ns;
    }
    return begin_ns + arguments.time_limit_ns;
  }
  /// Returns the column for which this lane writes results, if it is less than `columns`.
  SIMT_DEVICE static u32 lane_column() { return simt::lane() % narrow_lanes; }

  SIMT_DEVICE supernode_vertex load_vertex(u32 position) const {
    const simt::quad words = simt::load_readonly_quad(arguments_.vertices + position);
    return {words.x, words.y, words.z, words.w};
  }

  /// Block collective: searches upwards from a source. The path from the source to the root has some vertices of each
  /// supernode that it visits: the lowest one, and the upper neighbours of this one.
  SIMT_DEVICE void ascend(u32 column) {
    const u32 source = simt::load(arguments_.source_positions + column);
    u32* const distances = arguments_.from_below + column;
    if (simt::thread_in_block() == 0)
      simt::store_atomic<order::relaxed, scope::device>(distances + source * columns, 0u);
    simt::sync_block();
    for (u32 lowest = source; lowest != no_vertex;) {
      const supernode_vertex shape = load_vertex(lowest);
      const u32 first_same_level = shape.first_arc + shape.arcs - shape.same_level;
      for (u32 i = simt::warp_in_block(); i <= shape.same_level; i += simt::block_threads() / simt::warp_size) {
        const u32 vertex =
            i == shape.same_level ? lowest : simt::load_readonly(arguments_.heads + first_same_level + i);
        relax_upwards(vertex, distances);
      }
      lowest = shape.next;
      simt::sync_block();
    }
  }

  /// Warp collective.
  SIMT_DEVICE void relax_upwards(u32 vertex, u32* distances) {
    const u32 distance = simt::load_atomic<order::relaxed, scope::device>(distances + vertex * columns);
    if (distance == no_path) return;
    const supernode_vertex shape = load_vertex(vertex);
    for (u32 arc = shape.first_arc + simt::lane(); arc < shape.first_arc + shape.arcs; arc += simt::warp_size) {
      const u32 length = joined_length(distance, simt::load_readonly(arguments_.upward + arc));
      if (length < no_path)
        simt::atomic_min<order::relaxed, scope::device>(
            distances + simt::load_readonly(arguments_.heads + arc) * columns, length);
    }
    if (simt::lane() == 0) counts_.add(counter::relaxations, shape.arcs);
  }

  /// Finds the distances of vertices of one level, which are a range of `order`. @tparam lanes for each vertex
  template <u32 lanes>
  SIMT_DEVICE void sweep(u32 begin, u32 end) {
    constexpr u32 vertices_of_warp = simt::warp_size / lanes;
    for (u32 first = begin + warp() * vertices_of_warp; first < end; first += warps() * vertices_of_warp) {
      const u32 index = first + simt::lane() / lanes;
      const u32 vertex = index < end ? simt::load_readonly(arguments_.order + index) : no_vertex;
      const supernode_vertex shape = vertex == no_vertex ? supernode_vertex{} : load_vertex(vertex);
      column_distances nearest = relax_downwards(shape, simt::lane() % lanes, lanes);
      for (u32 distance = lanes / 2; distance > 0; distance /= 2) {
        for (u32& word : nearest.words) word = smaller(word, simt::shuffle(word, simt::lane() ^ distance));
      }
      if (vertex == no_vertex) continue;
      if (simt::lane() % lanes == 0) {
        counts_.add(counter::pops, 1);
        counts_.add(counter::relaxations, shape.arcs);
      }
      if (simt::lane() % lanes < columns) finish(vertex, nearest);
    }
  }

  /// Returns the least distances over those arcs into a vertex that this lane relaxes. Vertices of the same level have
  /// no distances yet, but the results of upward searches.
  SIMT_DEVICE column_distances relax_downwards(const supernode_vertex& shape, u32 first, u32 stride) const {
    column_distances nearest;
    for (u32& word : nearest.words) word = no_path;
    const u32 other_levels = shape.arcs - shape.same_level;
    for (u32 i = first; i < shape.arcs; i += stride) {
      const u32 head = simt::load_readonly(arguments_.heads + shape.first_arc + i);
      const u32 weight = simt::load_readonly(arguments_.downward + shape.first_arc + i);
      const u32* const words = (i < other_levels ? arguments_.distances : arguments_.from_below) + head * columns;
      const column_distances distances = simt::load(reinterpret_cast<const column_distances*>(words));
      for (u32 column = 0; column < columns; ++column)
        nearest.words[column] = smaller(nearest.words[column], joined_length(distances.words[column], weight));
    }
    return nearest;
  }

  /// Writes the distance of a vertex in this lane's column.
  SIMT_DEVICE void finish(u32 vertex, const column_distances& nearest) {
    u32 distance = simt::load(arguments_.from_below + vertex * columns + lane_column());
    for (u32 column = 0; column < columns; ++column) {
      if (column == lane_column()) distance = smaller(distance, nearest.words[column]);
    }
    simt::store(arguments_.distances + vertex * columns + lane_column(), distance);
    if (lane_column() >= arguments_.searches) return;
    const u32 number = simt::load_readonly(arguments_.graph_vertices + vertex);
    const u32 result = result_of(distance);
    if (arguments_.stored_distances != nullptr)
      simt::store(arguments_.stored_distances + u64{lane_column()} * arguments_.vertex_count + number, result);
    if (result == unreached) return;
    digest_ += digest_of(number, result);
    ++reached_;
    if (result > farthest_) farthest_ = result;
  }

  SIMT_DEVICE u32 result_of(u32 distance) const {
    return distance < no_path && distance <= arguments_.cutoff ? distance : unreached;
  }

  SIMT_DEVICE void write_target_distances() const {
    const u32 count = arguments_.target_count;
    for (u32 i = thread(); i < count * arguments_.searches; i += threads()) {
      const u32 position = simt::load(arguments_.target_positions + i % count);
      simt::store(arguments_.target_distances + i,
                  result_of(simt::load(arguments_.distances + position * columns + i / count)));
    }
  }

  /// Warp collective: adds up the lanes of each column.
  SIMT_DEVICE void add_answers() {
    for (u32 distance = narrow_lanes; distance < simt::warp_size; distance *= 2) {
      digest_ += simt::shuffle(digest_, simt::lane() ^ distance);
      reached_ += simt::shuffle(reached_, simt::lane() ^ distance);
      const u32 farthest = simt::shuffle(farthest_, simt::lane() ^ distance);
      if (farthest > farthest_) farthest_ = farthest;
    }
    if (simt::lane() >= arguments_.searches || reached_ == 0) return;
    multi_source_answer* const sum = arguments_.answers + simt::lane();
    simt::reduce_add<order::relaxed, scope::device>(&sum->digest, digest_);
    simt::reduce_add<order::relaxed, scope::device>(&sum->reached, reached_);
    raise(&sum->farthest, farthest_);
  }

  const supernode_arguments& arguments_;
  counters& counts_;
  block_barrier<periods, run_status> barrier_;
  u64 digest_ = 0;
  u32 reached_ = 0;
  u32 farthest_ = 0;
};

}  // namespace mlmq::hierarchy

SIMT_KERNEL_OF_BLOCKS(supernode_search, mlmq::supernode_arguments, MLMQ_BLOCKS) {
  using namespace mlmq;
  hierarchy::counters counts(arguments.counters);
  hierarchy::supernode_search(arguments, reinterpret_cast<u32*>(simt::shared_memory()), counts).run();
  if (arguments.counters != nullptr) counts.flush(arguments.counters);
}
