// SPDX-License-Identifier: Apache-2.0
// Work for the warps of a superstep: pieces of rows for warps, and edges for lanes.
#pragma once

#include "supersteps/barrier.cuh"

namespace mlmq::supersteps {

/// Warp collective, called by all warps: divides pieces evenly; if a warp has more than one per lane, it claims the
/// others, as many as it has lanes at a time.
/// @param count number of pieces, at least one
/// @param claimed number of pieces claimed so far, in global memory
/// @param take called with the first piece and whether this lane has one: `first` + lane
template <class Count, class Take>
SIMT_DEVICE void divide_pieces(Count count, u32* claimed, Take&& take) {
  const u32 all_warps = global_warps();
  const Count even_share = (count - 1) / all_warps + 1;
  const u32 share = even_share < simt::warp_size ? static_cast<u32>(even_share) : simt::warp_size;
  Count first = Count{global_warp()} * share;
  while (first < count) {
    const bool valid = simt::lane() < share && first + simt::lane() < count;
    Count next = count;
    // Claimed early: the latency overlaps with work on the rows.
    if (even_share > simt::warp_size && simt::lane() == 0) {
      next = Count{all_warps} * share +
             simt::atomic_add<simt::order::relaxed, simt::scope::device>(claimed, simt::warp_size);
    }
    take(first, valid);
    first = simt::shuffle(next, 0);
  }
}

/// Lane l of step i gets edge `first` + 32 i + l of the concatenated rows. A row starts in a step where its bit is set;
/// the number of rows that have started so far identifies the owner of an edge.
/// @param start, degree position of the first edge of this lane's row, and number of its edges
/// @param total number of edges of all rows
/// @param rows_before rows started in earlier steps; updated for the next step
template <u32 N, class Row, class Worker, class... Options>
SIMT_DEVICE void deal(const Row* rows, u32 first, u32 start, u32 degree, u32 total, u32& rows_before, Worker& worker,
                      const Options&... options) {
  typename Worker::template dealt_edges<N> dealt;
  const u32 up_to_this = simt::lanes_below() | 1u << simt::lane();
#pragma unroll
  for (u32 i = 0; i < N; ++i) {
    const u32 base = first + i * simt::warp_size;
    const bool starts_here = degree != 0 && start - base < simt::warp_size;
    const u32 starts = simt::warp_or(starts_here ? 1u << (start - base) : 0);
    const u32 edge = base + simt::lane();
    dealt.active[i] = edge < total;
    dealt.position[i] = 0;
    if (dealt.active[i]) worker.find(dealt, i, rows + rows_before + simt::popcount(starts & up_to_this) - 1, edge);
    rows_before += simt::popcount(starts);
  }
  worker.relax(dealt, options...);
}

/// Warp collective: deals the edges of each lane's row to all lanes, up to four to each at a time.
/// @param rows room for 32 rows in shared memory of this warp
/// @param degree number of edges of this lane's row
/// @param worker its dealt_edges<N> are N edges of a lane: `position`, and whether `active`; find(dealt, i, row, edge)
/// finds one by its row and its number among the concatenated rows; all lanes call relax(dealt, options…)
/// @param list (row, start) writes this lane's row, whose first edge has the number `start`
template <class Row, class Worker, class List, class... Options>
SIMT_DEVICE void deal_rows(Row* rows, u32 degree, Worker& worker, List&& list, const Options&... options) {
  const u32 scanned = simt::inclusive_scan(degree);
  const u32 start = scanned - degree;
  const u32 total = simt::shuffle(scanned, simt::warp_size - 1);
  if (total == 0) return;
  const u32 lanes_with_rows = simt::ballot(degree != 0);
  if (degree != 0) list(rows + simt::popcount(lanes_with_rows & simt::lanes_below()), start);
  simt::sync_warp();
  u32 rows_before = 0;
  u32 first = 0;
  for (; total - first > 2 * simt::warp_size; first += 4 * simt::warp_size) {
    deal<4>(rows, first, start, degree, total, rows_before, worker, options...);
    if (first + 4 * simt::warp_size >= total) {
      simt::sync_warp();  // the next rows overwrite these
      return;
    }
  }
  if (total - first > simt::warp_size) {
    deal<2>(rows, first, start, degree, total, rows_before, worker, options...);
  } else {
    deal<1>(rows, first, start, degree, total, rows_before, worker, options...);
  }
  simt::sync_warp();
}

}  // namespace mlmq::supersteps
