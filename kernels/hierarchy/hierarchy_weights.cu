// SPDX-License-Identifier: Apache-2.0
// Gives the arcs of an elimination hierarchy their weights, and finds those that searches need (Dibbelt, Strasser and
// Wagner 2016, perfect customization). Vertices of one level do not depend on each other: the levels are visited from
// the leaves to the roots, then back, with a barrier of the grid after each. A warp has one arc at a time.
#include "block_barrier.cuh"
#include "hierarchy/customization_abi.cuh"
#include "hierarchy/extrema.cuh"
#include "hierarchy/lengths.cuh"
#include "run_watch.cuh"
#include "simt/simt.cuh"

namespace mlmq::hierarchy {

class weight_finder {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE weight_finder(const customization_arguments& arguments, u32* shared)
      : arguments_(arguments),
        barrier_(
            {&arguments.control->status, &arguments.control->host_abort, simt::clock_ns() + arguments.time_limit_ns},
            &arguments.control->arrived, nullptr, simt::grid_blocks(), simt::block_index() == 0, shared) {}

  SIMT_DEVICE void run() {
    for (u32 arc = thread(); arc < arguments_.arcs; arc += threads()) {
      simt::store(arguments_.within.upward + arc, no_path);
      simt::store(arguments_.within.downward + arc, no_path);
    }
    if (!barrier_.wait()) return;
    for (u32 edge = thread(); edge < arguments_.edges; edge += threads()) set_edge(edge);
    if (!barrier_.wait()) return;
    for (u32 level = 0; level < arguments_.levels; ++level) {
      for_each_arc(level, [this](const tree_arc& arc) { relax_lower_triangles(arc); });
      if (!barrier_.wait()) return;
    }
    for (u32 level = arguments_.levels; level-- > 0;) {
      for_each_arc(level, [this](const tree_arc& arc) { relax_upper_triangles(arc); });
      if (!barrier_.wait()) return;
    }
    for (u32 vertex = warp(); vertex < arguments_.vertex_count; vertex += warps()) write_ascent_arcs(vertex);
  }

 private:
  static constexpr barrier_periods periods = {
      .leader = 64, .abort = 64, .clock = 1024, .pause = 16, .polls_arrivals = true};

  SIMT_DEVICE static u32 thread() { return simt::block_index() * simt::block_threads() + simt::thread_in_block(); }
  SIMT_DEVICE static u32 threads() { return simt::grid_blocks() * simt::block_threads(); }
  SIMT_DEVICE static u32 warp() { return thread() / simt::warp_size; }
  SIMT_DEVICE static u32 warps() { return threads() / simt::warp_size; }

  SIMT_DEVICE static void lower(u32* word, u32 length) {
    if (length < simt::load_atomic<order::relaxed, scope::device>(word))
      simt::atomic_min<order::relaxed, scope::device>(word, length);
  }

  SIMT_DEVICE u32 first_arc(u32 vertex) const { return simt::load_readonly(arguments_.first_arcs + vertex); }
  SIMT_DEVICE u32 head(u32 arc) const { return simt::load_readonly(arguments_.heads + arc); }

  template <class Visit>
  SIMT_DEVICE void for_each_arc(u32 level, const Visit& visit) const {
    const u32 end = simt::load_readonly(arguments_.level_offsets + level + 1);
    for (u32 i = simt::load_readonly(arguments_.level_offsets + level) + warp(); i < end; i += warps())
      visit(simt::load(arguments_.level_arcs + i));
  }

  SIMT_DEVICE void set_edge(u32 edge) const {
    const u32 place = simt::load_readonly(arguments_.edge_arcs + edge);
    if (place == no_arc) return;
    const arc_lengths& within = arguments_.within;
    lower((place % 2 == 0 ? within.upward : within.downward) + place / 2, simt::load(arguments_.edge_weights + edge));
  }

  /// Returns the arc from a vertex to one of its upper neighbours. @param least how many others precede it at least
  SIMT_DEVICE u32 arc_to(u32 vertex, u32 neighbour, u32 least) const {
    u32 low = first_arc(vertex) + least;
    if (head(low) == neighbour) return low;  // often, since neighbouring vertices have the same ancestors
    u32 high = first_arc(vertex + 1) - 1;
    ++low;
    while (low < high) {
      const u32 middle = low + (high - low) / 2;
      if (head(middle) < neighbour) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Warp collective: shortens the arcs between the head of an arc and farther ancestors by the paths over its tail.
  SIMT_DEVICE void relax_lower_triangles(const tree_arc& near) const {
    const arc_lengths& within = arguments_.within;
    const u32 begin = first_arc(near.tail);
    const u32 middle = head(near.arc);
    const u32 up = simt::load(within.upward + near.arc);
    const u32 down = simt::load(within.downward + near.arc);
    for (u32 far = begin + simt::lane(); far < near.arc; far += simt::warp_size) {
      const u32 arc = arc_to(middle, head(far), far - begin);
      lower(within.upward + arc, joined_length(down, simt::load(within.upward + far)));
      lower(within.downward + arc, joined_length(simt::load(within.downward + far), up));
    }
  }

  /// Warp collective: finds the shortest length of an arc over ancestors, whose arcs have their shortest lengths, and
  /// whether it is needed: it is not if a path as short only ascends, or only descends.
  SIMT_DEVICE void relax_upper_triangles(const tree_arc& target) const {
    const arc_lengths& within = arguments_.within;
    const arc_lengths& shortest = arguments_.shortest;
    const u32 begin = first_arc(target.tail);
    const u32 end = first_arc(target.tail + 1);
    const u32 target_head = head(target.arc);
    const u32 up = simt::load(within.upward + target.arc);
    const u32 down = simt::load(within.downward + target.arc);
    u32 least_up = up;
    u32 least_down = down;
    bool replaces_up = false;
    bool replaces_down = false;
    for (u32 other = begin + simt::lane(); other < end; other += simt::warp_size) {
      if (other == target.arc) continue;
      const u32 other_up = simt::load(within.upward + other);
      const u32 other_down = simt::load(within.downward + other);
      if (other < target.arc) {  // over a farther ancestor and back
        const u32 arc = arc_to(target_head, head(other), other - begin);
        least_up = smaller(least_up, joined_length(other_up, simt::load(shortest.downward + arc)));
        least_down = smaller(least_down, joined_length(simt::load(shortest.upward + arc), other_down));
        continue;
      }
      const u32 arc = arc_to(head(other), target_head, target.arc - begin);
      const u32 onward = simt::load(shortest.upward + arc);
      const u32 back = simt::load(shortest.downward + arc);
      const u32 over_up = joined_length(other_up, onward);
      const u32 over_down = joined_length(back, other_down);
      if (over_up <= up && onward == simt::load(within.upward + arc)) replaces_up = true;
      if (over_down <= down && back == simt::load(within.downward + arc)) replaces_down = true;
      least_up = smaller(least_up, over_up);
      least_down = smaller(least_down, over_down);
    }
    least_up = simt::warp_min(least_up);
    least_down = simt::warp_min(least_down);
    replaces_up = simt::any(replaces_up);
    replaces_down = simt::any(replaces_down);
    if (simt::lane() != 0) return;
    simt::store(shortest.upward + target.arc, least_up);
    simt::store(shortest.downward + target.arc, least_down);
    simt::store(arguments_.needed.upward + target.arc, needed(up, least_up, replaces_up));
    simt::store(arguments_.needed.downward + target.arc, needed(down, least_down, replaces_down));
  }

  /// Saturated arcs are needed: which of two saturated paths is shorter is not known.
  SIMT_DEVICE static u32 needed(u32 within, u32 shortest, bool is_replaced) {
    if (is_saturated(within)) return within;
    return !is_replaced && within <= shortest ? within : no_path;
  }

  /// Warp collective: writes the arcs from a vertex that upward searches need.
  SIMT_DEVICE void write_ascent_arcs(u32 vertex) const {
    const u32 begin = first_arc(vertex);
    const u32 end = first_arc(vertex + 1);
    u32 written = 0;
    for (u32 first = begin; first < end; first += simt::warp_size) {
      const u32 arc = first + simt::lane();
      const u32 weight = arc < end ? simt::load(arguments_.needed.upward + arc) : no_path;
      const u32 needed_lanes = simt::ballot(weight != no_path);
      if (weight != no_path) {
        const u32 place = begin + written + simt::popcount(needed_lanes & simt::lanes_below());
        simt::store(arguments_.ascent_arcs + place,
                    hierarchy_item{simt::load(&arguments_.vertices[head(arc)].depth), weight});
      }
      written += simt::popcount(needed_lanes);
    }
    if (simt::lane() == 0) simt::store(&arguments_.vertices[vertex].arcs, written);
  }

  const customization_arguments& arguments_;
  block_barrier<periods, run_status> barrier_;
};

}  // namespace mlmq::hierarchy

SIMT_KERNEL(hierarchy_weights, mlmq::customization_arguments) {
  using namespace mlmq;
  hierarchy::weight_finder(arguments, reinterpret_cast<u32*>(simt::shared_memory())).run();
}
