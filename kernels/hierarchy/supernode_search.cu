// SPDX-License-Identifier: Apache-2.0
// Shortest paths from a few sources by an elimination hierarchy, with all warps of the device for each of them.
//
// Arcs have the lengths of shortest paths over any vertices. Therefore one relaxation of all arcs of a supernode finds
// the distances of its vertices: whatever a path between two of them visits, the arc between them is as short. The
// levels of supernodes, some dozens, are visited one after the other, instead of the vertices of a path in the tree,
// of which there are hundreds: upwards from each source, at first by one block (supernode_path), then downwards by all
// blocks, with a barrier of the grid after each level. A warp loads the arcs of its next vertices before it needs them,
// so only the distances of other levels are loaded between two barriers.
#include "block_barrier.cuh"
#include "hierarchy/extrema.cuh"
#include "hierarchy/supernode_path.cuh"
#include "run_watch.cuh"

namespace mlmq::hierarchy {

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
        bounds_(shared + supernode_barrier_words),
        path_(arguments, bounds_ + ranges_of_level * arguments.levels + 1, counts),
        barrier_({&arguments.control->status, &arguments.control->host_abort, deadline(arguments)},
                 &arguments.progress->arrived, nullptr, simt::grid_blocks(), simt::block_index() == 0, shared) {}

  SIMT_DEVICE void run() {
    if (!ascend()) return;
    vertex_group next = open(occupied_place({0, warp() * vertices_of_warp(0)}));
    arc_group arcs = load_arcs(next, first_arc(next), lanes_of(next));
    vertex_group group = next;
    next = open(next_place(group.place));
    for (u32 level = 0; level < arguments_.levels; ++level) {
      while (group.place.range / ranges_of_level == level) {
        column_distances tails[held_arcs];
        load_tails(tails, group, arcs, first_arc(group), lanes_of(group));
        const vertex_result result = load_result(group);
        const arc_group next_arcs = load_arcs(next, first_arc(next), lanes_of(next));
        const vertex_group later = open(next_place(next.place));
        sweep(group, arcs, tails, result);
        group = next;
        arcs = next_arcs;
        next = later;
      }
      if (!barrier_.wait()) return;
    }
    if (arguments_.target_distances != nullptr) write_target_distances();
    if (arguments_.answers != nullptr) add_answers();
  }

 private:
  static constexpr barrier_periods periods = {
      .leader = 4, .abort = 64, .clock = 1024, .pause = 16, .polls_arrivals = true};
  static_assert(columns <= narrow_lanes);
  /// A level has a range of wide vertices, and then one of narrow ones.
  static constexpr u32 ranges_of_level = 2;
  static constexpr u32 held_arcs = 4;
  static constexpr u32 arcs_of_part = 2 * simt::warp_size;

  /// A place in the order in which a warp visits vertices.
  struct range_place {
    u32 range;
    u32 first;  ///< the warp's first vertex
  };

  /// Arcs that a lane has in registers.
  struct arc_group {
    u32 heads[held_arcs];
    u32 lengths[held_arcs];
  };

  /// The vertices that a warp visits together, one wide one or several narrow ones: what a lane has of them.
  struct vertex_group {
    range_place place;
    u32 vertex;  ///< or no_vertex
    u32 first_arc;
    u32 arcs;
    u32 same_level;
  };

  /// What a lane needs to write the result of a vertex in its column.
  struct vertex_result {
    u32 number;  ///< in the graph
    u32 from_below;
  };

  SIMT_DEVICE static u32 thread() { return simt::block_index() * simt::block_threads() + simt::thread_in_block(); }
  SIMT_DEVICE static u32 threads() { return simt::grid_blocks() * simt::block_threads(); }
  /// Warps of different blocks have adjacent numbers, so that few vertices are spread over all multiprocessors.
  SIMT_DEVICE static u32 warp() { return simt::warp_in_block() * simt::grid_blocks() + simt::block_index(); }
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

  /// Searches upwards from all sources. @return false if the run is over
  SIMT_DEVICE bool ascend() {
    u32 column = simt::block_index();
    if (column < arguments_.searches) path_.find(simt::load_readonly(arguments_.sources + column));
    for (u32 i = thread(); i < arguments_.vertex_count * columns; i += threads())
      simt::store(arguments_.from_below + i, no_path);
    for (u32 i = simt::thread_in_block(); i < ranges_of_level * arguments_.levels + 1; i += simt::block_threads())
      simt::store(bounds_ + i, simt::load_readonly(arguments_.level_bounds + i));
    if (!barrier_.wait()) return false;
    while (column < arguments_.searches) {
      path_.write(column);
      column += simt::grid_blocks();
      if (column < arguments_.searches) path_.find(simt::load_readonly(arguments_.sources + column));
    }
    for (u32 level = arguments_.wide_levels; level-- > 0;) {
      if (!barrier_.wait()) return false;
      for (u32 i = 0; i < arguments_.searches; ++i) {
        const u32 lowest = simt::load(arguments_.lowest + i * arguments_.wide_levels + level);
        if (lowest != no_vertex) relax_upwards(lowest, arguments_.from_below + i);
      }
    }
    return barrier_.wait();
  }

  /// Grid collective: relaxes the arcs of the lowest vertex of a level on a path, and of its ancestors of the same
  /// level. Several warps share the arcs of a vertex.
  SIMT_DEVICE void relax_upwards(u32 lowest, u32* distances) {
    const supernode_vertex shape = load_vertex(arguments_.vertices, lowest);
    const u32 first_same_level = shape.first_arc + shape.arcs - shape.same_level;
    const u32 parts = shape.arcs / arcs_of_part + 1;
    for (u32 task = warp(); task < (shape.same_level + 1) * parts; task += warps()) {
      const u32 i = task / parts;
      const u32 vertex = i == shape.same_level ? lowest : simt::load_readonly(arguments_.heads + first_same_level + i);
      const u32 distance = simt::load_atomic<order::relaxed, scope::device>(distances + vertex * columns);
      const supernode_vertex tail = load_vertex(arguments_.vertices, vertex);
      if (distance == no_path) continue;
      const u32 begin = task % parts * arcs_of_part;
      const u32 end = smaller(begin + arcs_of_part, tail.arcs);
      for (u32 arc = tail.first_arc + begin + simt::lane(); arc < tail.first_arc + end; arc += simt::warp_size) {
        const u32 length = joined_length(distance, simt::load_readonly(arguments_.upward + arc));
        const u32 head = simt::load_readonly(arguments_.heads + arc);
        if (length < no_path) simt::atomic_min<order::relaxed, scope::device>(distances + head * columns, length);
      }
      if (simt::lane() == 0 && begin == 0) counts_.add(counter::relaxations, tail.arcs);
    }
  }

  SIMT_DEVICE u32 bound(u32 range) const { return simt::load(bounds_ + range); }
  /// Returns how many lanes visit a vertex of a range.
  SIMT_DEVICE static u32 lanes_of(u32 range) { return range % ranges_of_level == 0 ? simt::warp_size : narrow_lanes; }
  SIMT_DEVICE static u32 lanes_of(const vertex_group& group) { return lanes_of(group.place.range); }
  SIMT_DEVICE static u32 vertices_of_warp(u32 range) { return simt::warp_size / lanes_of(range); }
  /// Returns the first arc that this lane relaxes.
  SIMT_DEVICE static u32 first_arc(const vertex_group& group) { return simt::lane() % lanes_of(group); }

  SIMT_DEVICE range_place next_place(const range_place& place) const {
    return occupied_place({place.range, place.first + warps() * vertices_of_warp(place.range)});
  }
  /// Returns `place`, or if its range has ended, the next one that has a vertex for this warp.
  SIMT_DEVICE range_place occupied_place(range_place place) const {
    const u32 ranges = arguments_.levels * ranges_of_level;
    while (place.range < ranges && place.first >= bound(place.range + 1)) {
      ++place.range;
      place.first = bound(place.range) + warp() * vertices_of_warp(place.range);
    }
    return place;
  }

  SIMT_DEVICE vertex_group open(const range_place& place) const {
    const u32 vertex = place.first + simt::lane() / lanes_of(place.range);
    if (place.range == arguments_.levels * ranges_of_level || vertex >= bound(place.range + 1))
      return {.place = place, .vertex = no_vertex, .first_arc = 0, .arcs = 0, .same_level = 0};
    const supernode_vertex shape = load_vertex(arguments_.vertices, vertex);
    return {.place = place,
            .vertex = vertex,
            .first_arc = shape.first_arc,
            .arcs = shape.arcs,
            .same_level = shape.same_level};
  }

  SIMT_DEVICE vertex_result load_result(const vertex_group& group) const {
    if (group.vertex == no_vertex || simt::lane() % lanes_of(group) >= columns) return {0, 0};
    return {simt::load_readonly(arguments_.graph_vertices + group.vertex),
            simt::load(arguments_.from_below + group.vertex * columns + lane_column())};
  }

  /// Warp collective: finds the distances of vertices. @param tails distances of the tails of `arcs`
  SIMT_DEVICE void sweep(const vertex_group& group, const arc_group& arcs, const column_distances* tails,
                         const vertex_result& result) {
    const u32 lanes = lanes_of(group);
    column_distances nearest;
    for (u32& word : nearest.words) word = no_path;
    relax(nearest, group, arcs, tails, first_arc(group), lanes);
    for (u32 arc = first_arc(group) + held_arcs * lanes; arc < group.arcs; arc += held_arcs * lanes) {
      const arc_group others = load_arcs(group, arc, lanes);
      column_distances other_tails[held_arcs];
      load_tails(other_tails, group, others, arc, lanes);
      relax(nearest, group, others, other_tails, arc, lanes);
    }
    for (u32 distance = lanes / 2; distance > 0; distance /= 2) {
      for (u32& word : nearest.words) word = smaller(word, simt::shuffle(word, simt::lane() ^ distance));
    }
    if (group.vertex == no_vertex) return;
    if (simt::lane() % lanes == 0) {
      counts_.add(counter::pops, 1);
      counts_.add(counter::relaxations, group.arcs);
    }
    if (simt::lane() % lanes < columns) finish(group.vertex, result, nearest);
  }

  /// Loads every `stride`-th arc from `first` on.
  SIMT_DEVICE arc_group load_arcs(const vertex_group& group, u32 first, u32 stride) const {
    arc_group result;
    for (u32 i = 0; i < held_arcs; ++i) {
      const u32 arc = first + i * stride;
      if (arc >= group.arcs) break;
      result.heads[i] = simt::load_readonly(arguments_.heads + group.first_arc + arc);
      result.lengths[i] = simt::load_readonly(arguments_.downward + group.first_arc + arc);
    }
    return result;
  }

  /// Loads the distances of the tails of arcs. Vertices of the same level have none yet, but the results of upward
  /// searches.
  SIMT_DEVICE void load_tails(column_distances* tails, const vertex_group& group, const arc_group& arcs, u32 first,
                              u32 stride) const {
    const u32 other_levels = group.arcs - group.same_level;
    for (u32 i = 0; i < held_arcs; ++i) {
      const u32 arc = first + i * stride;
      if (arc >= group.arcs) break;
      const u32* const words = arc < other_levels ? arguments_.distances : arguments_.from_below;
      tails[i] = simt::load(reinterpret_cast<const column_distances*>(words + arcs.heads[i] * columns));
    }
  }

  SIMT_DEVICE static void relax(column_distances& nearest, const vertex_group& group, const arc_group& arcs,
                                const column_distances* tails, u32 first, u32 stride) {
    for (u32 i = 0; i < held_arcs; ++i) {
      if (first + i * stride >= group.arcs) break;
      for (u32 column = 0; column < columns; ++column)
        nearest.words[column] = smaller(nearest.words[column], joined_length(tails[i].words[column], arcs.lengths[i]));
    }
  }

  /// Writes the distance of a vertex in this lane's column.
  SIMT_DEVICE void finish(u32 vertex, const vertex_result& written, const column_distances& nearest) {
    u32 distance = written.from_below;
    for (u32 column = 0; column < columns; ++column) {
      if (column == lane_column()) distance = smaller(distance, nearest.words[column]);
    }
    simt::store(arguments_.distances + vertex * columns + lane_column(), distance);
    if (lane_column() >= arguments_.searches) return;
    const u32 result = result_of(distance);
    if (arguments_.stored_distances != nullptr)
      simt::store(arguments_.stored_distances + u64{lane_column()} * arguments_.vertex_count + written.number, result);
    if (result == unreached) return;
    digest_ += digest_of(written.number, result);
    ++reached_;
    if (result > farthest_) farthest_ = result;
  }

  SIMT_DEVICE u32 result_of(u32 distance) const { return distance <= arguments_.cutoff ? distance : unreached; }

  SIMT_DEVICE void write_target_distances() const {
    const u32 count = arguments_.target_count;
    for (u32 i = thread(); i < count * arguments_.searches; i += threads()) {
      const u32 target = simt::load(arguments_.targets + i % count);
      simt::store(arguments_.target_distances + i,
                  result_of(simt::load(arguments_.distances + target * columns + i / count)));
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
  u32* bounds_;  ///< level_bounds, in shared memory
  supernode_path path_;
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
