// SPDX-License-Identifier: Apache-2.0
// Steps that look at all vertices: those without a distance look through their incoming edges, or those that have one
// form the frontier.
#pragma once

#include "near_pull/frontier.cuh"

namespace mlmq::near_pull {

class row_puller {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param listed pull_vertices words of shared memory of this warp
  SIMT_DEVICE row_puller(const arguments& search_arguments, u32* listed, frontier_writer& output, counters& counts)
      : arguments_(search_arguments),
        in_offsets_(static_cast<const offset*>(search_arguments.in_offsets)),
        in_edges_(static_cast<const edges::word*>(search_arguments.in_edges)),
        distances_(reinterpret_cast<word*>(search_arguments.distances)),
        listed_(listed),
        output_(output),
        counts_(counts) {}

  /// Warp collective: adds all vertices that have a distance to the frontier.
  /// @param warp index among the `all_warps` warps that share the work
  SIMT_DEVICE void gather(u32 warp, u32 all_warps) {
    for (u64 first = u64{warp} * simt::warp_size; first < arguments_.vertex_count;
         first += u64{all_warps} * simt::warp_size) {
      const u64 v = first + simt::lane();
      add(static_cast<u32>(v), v < arguments_.vertex_count && load_distance(v) != width::none);
    }
  }

  /// Warp collective: gives each vertex without a distance the shortest one that its incoming edges offer, and adds it
  /// to the frontier. Distances that other lanes write at the same time may be used or not, because their vertices
  /// relax their own edges in the next step.
  SIMT_DEVICE void pull(u32 warp, u32 all_warps) {
    // A warp looks at several vertices per lane, and lists those that pull, unless it has fewer.
    const u64 even_share = arguments_.vertex_count / all_warps;
    const u32 share = even_share < simt::warp_size ? simt::warp_size
                      : even_share < pull_vertices ? static_cast<u32>(even_share) / simt::warp_size * simt::warp_size
                                                   : pull_vertices;
    for (u64 first = u64{warp} * share; first < arguments_.vertex_count; first += u64{all_warps} * share) {
      const u32 count = list(first, share);
      for (u32 position = simt::lane(); simt::any(position < count); position += simt::warp_size) {
        const bool valid = position < count;
        pull_vertex(valid ? simt::load(listed_ + position) : 0, valid);
      }
      simt::sync_warp();  // the next vertices overwrite these
    }
  }

 private:
  /// Number of edges that a lane looks at together, and number of such rounds before the whole warp helps.
  static constexpr u32 edges_at_once = 4;
  static constexpr u32 rounds_alone = 4;

  SIMT_DEVICE word load_distance(u64 v) const {
    return simt::load_atomic<order::relaxed, scope::device>(distances_ + v);
  }

  SIMT_DEVICE void add(u32 v, bool valid) {
    if (!simt::any(valid)) return;
    const u32 vertex[1] = {v};
    const bool is_valid[1] = {valid};
    row_part part[1] = {{0, 0, 0}};
    if (valid) part[0] = output_.part_of(v);
    output_.add(vertex, part, is_valid);
  }

  /// Warp collective: lists the vertices from `first` to `first` + `share` that have incoming edges and no distance.
  /// @return their number
  SIMT_DEVICE u32 list(u64 first, u32 share) {
    u32 count = 0;
    for (u32 i = 0; i < share; i += simt::warp_size) {
      const u64 v = first + i + simt::lane();
      bool pulls = false;
      if (v < arguments_.vertex_count) {
        const offset begin = simt::load_readonly(in_offsets_ + v);
        const offset end = simt::load_readonly(in_offsets_ + v + 1);
        pulls = load_distance(v) == width::none && begin != end;
      }
      const u32 writers = simt::ballot(pulls);
      if (pulls) simt::store(listed_ + count + simt::popcount(writers & simt::lanes_below()), static_cast<u32>(v));
      count += simt::popcount(writers);
    }
    simt::sync_warp();
    return count;
  }

  /// Warp collective: pulls for the vertex of each lane with `valid`.
  SIMT_DEVICE void pull_vertex(u32 v, bool valid) {
    u64 next = 0;
    u64 end = 0;
    if (valid) {
      next = simt::load_readonly(in_offsets_ + v);
      end = simt::load_readonly(in_offsets_ + v + 1);
    }
    word best = width::none;
    for (u32 round = 0; round < rounds_alone && simt::any(next < end); ++round) {
      if (next < end) look_at<1>(next, end, best);
      next += edges_at_once;
    }
    for (u32 pending_lanes = simt::ballot(next < end); pending_lanes != 0; pending_lanes &= pending_lanes - 1) {
      const u32 owner = simt::first_set(pending_lanes);
      const word together = look_together(simt::shuffle(next, owner), simt::shuffle(end, owner));
      if (simt::lane() == owner && together < best) best = together;
    }
    const bool is_found = best != width::none;
    if (is_found) {
      simt::store_atomic<order::relaxed, scope::device>(distances_ + v, best);
      counts_.add(counter::updates, 1);
    }
    add(v, is_found);
  }

  /// Lowers `best` to the shortest distance that up to `edges_at_once` edges offer: `first`, `first` + `stride`, …
  template <u32 stride>
  SIMT_DEVICE void look_at(u64 first, u64 end, word& best) {
    edges::word edge[edges_at_once];
    word length[edges_at_once];
#pragma unroll
    for (u32 i = 0; i < edges_at_once; ++i) {
      edge[i] = {};
      if (first + i * stride < end) {
        edge[i] = simt::load_readonly(in_edges_ + first + i * stride);
        counts_.add(counter::relaxations, 1);
      }
    }
#pragma unroll
    for (u32 i = 0; i < edges_at_once; ++i) {
      length[i] = width::none;
      if (first + i * stride < end) length[i] = load_distance(edges::target(edge[i]));
    }
#pragma unroll
    for (u32 i = 0; i < edges_at_once; ++i) {
      if (length[i] == width::none) continue;
      length[i] = distance::extend(length[i], edges::weight(edge[i]));
      if (length[i] < best) best = length[i];
    }
  }

  /// Warp collective: returns the shortest distance that the edges from `first` to `end`, equal on all lanes, offer.
  SIMT_DEVICE word look_together(u64 first, u64 end) {
    word best = width::none;
    for (; first < end; first += edges_at_once * simt::warp_size) {
      look_at<simt::warp_size>(first + simt::lane(), end, best);
    }
    return least(best);
  }

  SIMT_DEVICE static u32 least(u32 value) { return simt::warp_min(value); }
  SIMT_DEVICE static u64 least(u64 value) {
    const u32 high = simt::warp_min(static_cast<u32>(value >> 32));
    const u32 low = simt::warp_min(value >> 32 == high ? static_cast<u32>(value) : 0xFFFFFFFFu);
    return static_cast<u64>(high) << 32 | low;
  }

  const arguments& arguments_;
  const offset* in_offsets_;
  const edges::word* in_edges_;
  word* distances_;
  u32* listed_;
  frontier_writer& output_;
  counters& counts_;
};

}  // namespace mlmq::near_pull
