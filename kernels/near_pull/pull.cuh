// SPDX-License-Identifier: Apache-2.0
// Steps that look at all vertices: those beyond the limit look through their incoming edges, or those that have a
// distance are added to the frontier.
#pragma once

#include "near_pull/frontier.cuh"

namespace mlmq::near_pull {

class row_puller {
  using order = simt::order;
  using scope = simt::scope;

 public:
  SIMT_DEVICE row_puller(const arguments& search_arguments, frontier_writer& output, counters& counts)
      : arguments_(search_arguments),
        offsets_(static_cast<const offset*>(search_arguments.offsets)),
        in_offsets_(static_cast<const offset*>(search_arguments.in_offsets)),
        in_edges_(static_cast<const edges::word*>(search_arguments.in_edges)),
        distances_(reinterpret_cast<word*>(search_arguments.distances)),
        output_(output),
        counts_(counts) {}

  /// Warp collective: adds the vertex of each lane to the frontier if it has a distance.
  SIMT_DEVICE void gather(u64 v) {
    word present = width::none;
    offset row = 0;
    offset row_end = 0;
    if (v < arguments_.vertex_count) {
      present = load_distance(v);
      row = simt::load_readonly(offsets_ + v);
      row_end = simt::load_readonly(offsets_ + v + 1);
    }
    add(v, present, row, row_end, present != width::none);
  }

  /// Warp collective: lowers the distance of each lane's vertex to the shortest that its incoming edges offer, and adds
  /// it to the frontier if that is shorter. Distances that are lowered at the same time may be used or not, because
  /// their vertices relax their own edges.
  /// @param settled distances below this are final
  SIMT_DEVICE void pull(u64 v, word settled) {
    u64 next = 0;
    u64 end = 0;
    word present = 0;
    if (v < arguments_.vertex_count) {
      present = load_distance(v);
      next = simt::load_readonly(in_offsets_ + v);
      end = simt::load_readonly(in_offsets_ + v + 1);
      if (present < settled) end = next;
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
    offset row = 0;
    offset row_end = 0;
    bool lowers = false;
    if (best < present) {
      row = simt::load_readonly(offsets_ + v);
      row_end = simt::load_readonly(offsets_ + v + 1);
      lowers = best < simt::atomic_min<order::relaxed, scope::device>(distances_ + v, best);
      counts_.add(counter::distance_atomics, 1);
      if (lowers) counts_.add(counter::updates, 1);
    }
    add(v, best, row, row_end, lowers);
  }

 private:
  /// Number of edges that a lane looks at together, and number of such rounds before the whole warp helps.
  static constexpr u32 edges_at_once = 4;
  static constexpr u32 rounds_alone = 4;

  SIMT_DEVICE word load_distance(u64 v) const {
    return simt::load_atomic<order::relaxed, scope::device>(distances_ + v);
  }

  SIMT_DEVICE void add(u64 v, word lowered, offset row, offset row_end, bool valid) {
    if (!simt::any(valid)) return;
    const u32 vertex[1] = {static_cast<u32>(v)};
    const word lowered_to[1] = {lowered};
    const offset begin[1] = {row};
    const offset end[1] = {row_end};
    const bool is_valid[1] = {valid};
    output_.add(vertex, lowered_to, begin, end, is_valid);
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
  const offset* offsets_;
  const offset* in_offsets_;
  const edges::word* in_edges_;
  word* distances_;
  frontier_writer& output_;
  counters& counts_;
};

}  // namespace mlmq::near_pull
