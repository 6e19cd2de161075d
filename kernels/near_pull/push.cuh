// SPDX-License-Identifier: Apache-2.0
// A warp relaxes pieces of rows. Only edges that lead to a distance below the limit are relaxed. Several edges of each
// lane are in flight at the same time, and the row of a target is loaded together with the atomic that shows whether
// the row is needed, because a superstep waits for its last warp.
#pragma once

#include "near_pull/frontier.cuh"
#include "supersteps/dealt_edges.cuh"

namespace mlmq::near_pull {

/// Which edges are relaxed.
struct push_range {
  word floor;  ///< no distance below can be lowered any more
  word limit;  ///< edges that lead to this distance or beyond are not relaxed
};

class row_pusher {
  using order = simt::order;
  using scope = simt::scope;

 public:
  /// @param rows 32 entries of shared memory of this warp
  SIMT_DEVICE row_pusher(const arguments& search_arguments, width::rows* rows, frontier_writer& output,
                         counters& counts)
      : arguments_(search_arguments),
        edges_(static_cast<const edges::word*>(search_arguments.edges)),
        distances_(reinterpret_cast<word*>(search_arguments.distances)),
        rows_(rows),
        output_(output),
        counts_(counts) {}

  template <u32 N>
  struct dealt_edges {
    u64 position[N];
    word reached_at[N];  ///< distance of the row's vertex
    bool active[N];
  };

  /// Warp collective: relaxes the piece of each lane with `valid`.
  SIMT_DEVICE void push(const piece* lane_piece, bool valid, const push_range& range) {
    u64 begin = 0;
    u32 degree = 0;
    word reached_at = 0;
    if (valid) {
      counts_.add(counter::pops, 1);
      counts_.add(counter::l2_reads, 1);
      const u64 row = simt::load(&lane_piece->row);
      const u64 vertex = simt::load(&lane_piece->vertex);
      begin = row & ((1ull << piece_begin_bits) - 1);
      degree = static_cast<u32>(row >> piece_begin_bits);
      reached_at = simt::load_atomic<order::relaxed, scope::device>(distances_ + vertex);
    }
    const auto list = [&](width::rows* row, u32 start) {
      simt::store(&row->edge_base, begin - start);
      simt::store(&row->distance, reached_at);
    };
    supersteps::deal_rows(rows_, degree, *this, list, range);
  }

  /// Finds an edge. @param row position of the row's first edge, less its number, and distance of its vertex
  template <u32 N>
  SIMT_DEVICE void find(dealt_edges<N>& dealt, u32 i, const width::rows* row, u32 edge) const {
    dealt.position[i] = simt::load(&row->edge_base) + edge;
    dealt.reached_at[i] = simt::load(&row->distance);
  }

  /// Issues each kind of access for all edges before the next kind, which needs the result.
  template <u32 N>
  SIMT_DEVICE void relax(const dealt_edges<N>& dealt, const push_range& range) {
    u32 target[N];
    word length[N];
    bool tries[N];
    bool any_tries = false;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      target[i] = 0;
      length[i] = 0;
      tries[i] = false;
      if (dealt.active[i]) {
        const edges::word edge = simt::load_readonly(edges_ + dealt.position[i]);
        target[i] = edges::target(edge);
        length[i] = distance::extend(dealt.reached_at[i], edges::weight(edge));
        counts_.add(counter::relaxations, 1);
        tries[i] = length[i] < range.limit && length[i] >= range.floor;
        output_.note_outer(length[i] >= range.limit);
      }
      any_tries = any_tries || tries[i];
    }
    if (!simt::any(any_tries)) return;
    // Most edges lower nothing: a load is cheaper than an atomic.
    word best[N];
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      best[i] = 0;
      if (tries[i]) best[i] = simt::load_atomic<order::relaxed, scope::device>(distances_ + target[i]);
    }
    any_tries = false;
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      tries[i] = tries[i] && length[i] < best[i];
      any_tries = any_tries || tries[i];
    }
    if (!simt::any(any_tries)) return;
    row_part part[N];
    bool joins[N];
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      part[i] = {0, 0, 0};
      joins[i] = false;
      if (tries[i]) {
        part[i] = output_.part_of(target[i]);
        joins[i] = length[i] < simt::atomic_min<order::relaxed, scope::device>(distances_ + target[i], length[i]);
        counts_.add(counter::distance_atomics, 1);
      }
    }
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      // The first warp that lowers the distance in this step adds the vertex; the next step reads the last distance.
      if (joins[i]) {
        counts_.add(counter::updates, 1);
        const u32 stamp =
            simt::atomic_exchange<order::relaxed, scope::device>(arguments_.stamps + target[i], output_.step);
        joins[i] = stamp != output_.step;
      }
    }
    output_.add(target, part, joins);
  }

 private:
  const arguments& arguments_;
  const edges::word* edges_;
  word* distances_;
  width::rows* rows_;
  frontier_writer& output_;
  counters& counts_;
};

}  // namespace mlmq::near_pull
