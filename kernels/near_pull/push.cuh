// SPDX-License-Identifier: Apache-2.0
// A warp relaxes pieces of rows. Only edges that lead to a distance below the limit are relaxed. Several edges of each
// lane are in flight at the same time, and the row of a target is loaded together with the atomic that shows whether
// the row is needed, because a superstep waits for its last warp.
#pragma once

#include "near_pull/frontier.cuh"

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
    const u32 scanned = simt::inclusive_scan(degree);
    const u32 start = scanned - degree;
    const u32 total = simt::shuffle(scanned, simt::warp_size - 1);
    if (total == 0) return;
    const u32 rows = simt::ballot(degree != 0);
    if (degree != 0) {
      width::rows* const entry = rows_ + simt::popcount(rows & simt::lanes_below());
      simt::store(&entry->edge_base, begin - start);
      simt::store(&entry->distance, reached_at);
    }
    simt::sync_warp();
    u32 rows_before = 0;
    u32 first = 0;
    for (; total - first > 2 * simt::warp_size; first += 4 * simt::warp_size) {
      push_dealt<4>(first, start, degree, total, rows_before, range);
      if (first + 4 * simt::warp_size >= total) {
        simt::sync_warp();  // the next rows overwrite these
        return;
      }
    }
    if (total - first > simt::warp_size) {
      push_dealt<2>(first, start, degree, total, rows_before, range);
    } else {
      push_dealt<1>(first, start, degree, total, rows_before, range);
    }
    simt::sync_warp();
  }

 private:
  template <u32 N>
  struct edge_batch {
    u64 position[N];
    word reached_at[N];  ///< distance of the row's vertex
    bool active[N];
  };

  /// Lane l of step i relaxes edge `first` + 32 i + l of the concatenated rows. A row starts in a step where its bit is
  /// set; the number of rows that have started so far identifies the owner of an edge.
  /// @param rows_before rows started in earlier steps; updated for the next step
  template <u32 N>
  SIMT_DEVICE void push_dealt(u32 first, u32 start, u32 degree, u32 total, u32& rows_before, const push_range& range) {
    edge_batch<N> dealt;
    const u32 up_to_this = simt::lanes_below() | 1u << simt::lane();
#pragma unroll
    for (u32 i = 0; i < N; ++i) {
      const u32 base = first + i * simt::warp_size;
      const bool starts_here = degree != 0 && start - base < simt::warp_size;
      const u32 starts = simt::warp_or(starts_here ? 1u << (start - base) : 0);
      const u32 edge = base + simt::lane();
      dealt.active[i] = edge < total;
      dealt.position[i] = 0;
      dealt.reached_at[i] = 0;
      if (dealt.active[i]) {
        const width::rows* const entry = rows_ + rows_before + simt::popcount(starts & up_to_this) - 1;
        dealt.position[i] = simt::load(&entry->edge_base) + edge;
        dealt.reached_at[i] = simt::load(&entry->distance);
      }
      rows_before += simt::popcount(starts);
    }
    relax(dealt, range);
  }

  /// Issues each kind of access for all edges before the next kind, which needs the result.
  template <u32 N>
  SIMT_DEVICE void relax(const edge_batch<N>& dealt, const push_range& range) {
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

  const arguments& arguments_;
  const edges::word* edges_;
  word* distances_;
  width::rows* rows_;
  frontier_writer& output_;
  counters& counts_;
};

}  // namespace mlmq::near_pull
