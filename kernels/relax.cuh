// SPDX-License-Identifier: Apache-2.0
// Relaxes the edges of a batch of up to 32 vertices with one warp (MLMQ, Listing 2 and section 4.1). The whole warp
// relaxes each vertex of high degree; the rows of all others are concatenated and their edges are dealt to the lanes.
// The row of a vertex of very high degree is split: its segments become elements of L2, for any warps of the grid.
#pragma once

#include "search_abi.cuh"
#include "vertex_element.cuh"

namespace mlmq {

template <class Configuration, class Queue, class Counters>
class row_relaxer {
  using offset = typename Configuration::offset;
  using distance = typename Configuration::distance;
  using edges = typename Configuration::edges;

 public:
  /// @param rows 32 entries of shared memory of this warp
  SIMT_DEVICE row_relaxer(const search_arguments& arguments, row_entry* rows, Queue& queue, Counters& counters)
      : arguments_(arguments),
        distances_(arguments.distances),
        queue_(queue),
        counters_(counters),
        rows_(rows),
        offsets_(static_cast<const offset*>(arguments.offsets)),
        edges_(static_cast<const typename edges::word*>(arguments.edges)) {}

  /// Warp collective: relaxes the elements of the queue until the run has ended.
  SIMT_DEVICE void run() {
    element e = 0;
    bool valid = false;
    while (queue_.read(e, valid)) relax(e, valid);
  }

  /// Warp collective: relaxes the out-edges of the vertex of every lane with `valid`.
  SIMT_DEVICE void relax(element e, bool valid) {
    if (valid) counters_.add(counter::pops, 1);
    relax_rows(e, valid);
  }

 protected:
  static constexpr bool splits_rows = Configuration::split_degree != 0;

  SIMT_DEVICE bool is_segment(u32 vertex) const { return splits_rows && vertex >= arguments_.first_segment; }

  /// Relaxes the rows of the lanes with `valid`, by their bounds.
  SIMT_DEVICE void relax_rows(element e, bool valid) {
    const u32 vertex = vertex_of(e);
    const u32 reached_at = distance_of(e);
    offset begin = 0;
    u32 degree = 0;
    if (valid) {
      u32 best;
      u32 row_degree;
      if (is_segment(vertex)) {
        const row_segment* const segment = arguments_.row_segments + (vertex - arguments_.first_segment);
        best = load_distance(simt::load_readonly(&segment->vertex));
        begin = static_cast<offset>(simt::load_readonly(&segment->first_edge));
        row_degree = simt::load_readonly(&segment->degree);
      } else {
        // Three independent loads: their latencies overlap.
        best = load_distance(vertex);
        begin = simt::load_readonly(offsets_ + vertex);
        row_degree = static_cast<u32>(simt::load_readonly(offsets_ + vertex + 1) - begin);
      }
      if (best < reached_at) {
        counters_.add(counter::stale_pops, 1);
      } else {
        degree = row_degree;
      }
    }
    if constexpr (splits_rows) degree = split(vertex, degree, reached_at);
    relax_heavy(begin, degree, reached_at);
    relax_light(begin, degree < Configuration::heavy_degree ? degree : 0, reached_at);
  }

  SIMT_DEVICE u32 load_distance(u32 vertex) const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::device>(distances_ + vertex);
  }

  /// Prefetches the row of an improved vertex.
  SIMT_DEVICE void prefetch_row(u32 vertex) const {
    if constexpr (Configuration::prefetch) {
      if constexpr (Configuration::ell_width != 0) {
        simt::prefetch(arguments_.ell_rows,
                       static_cast<u64>(vertex) * Configuration::ell_width * sizeof(typename edges::word));
      } else {
        simt::prefetch(offsets_, static_cast<u64>(vertex) * sizeof(offset));
      }
    }
  }

  const search_arguments& arguments_;
  u32* distances_;
  Queue& queue_;
  Counters& counters_;
  row_entry* rows_;

 private:
  /// Gives the segments of the rows that are split to L2. @return the part of this lane's row to be relaxed here
  SIMT_DEVICE u32 split(u32 vertex, u32 degree, u32 reached_at) {
    for (u32 pending_lanes = simt::ballot(degree > Configuration::split_degree); pending_lanes != 0;
         pending_lanes &= pending_lanes - 1) {
      const u32 owner = simt::first_set(pending_lanes);
      const split_row* const row = find_split_row(simt::shuffle(vertex, owner));
      const u32 row_distance = simt::shuffle(reached_at, owner);
      const u32 base = arguments_.first_segment + simt::load_readonly(&row->first_segment);
      const u32 segments = simt::load_readonly(&row->segment_count);
      // The first segment stays with this warp.
      for (u32 first = 1; first < segments; first += simt::warp_size) {
        const u32 segment = first + simt::lane();
        if (segment < segments) counters_.add(counter::row_segments, 1);
        queue_.write_l2(make_element(base + segment, row_distance), segment < segments);
      }
    }
    return degree > Configuration::split_degree ? Configuration::split_degree : degree;
  }

  /// Returns the split row of this vertex, which must have one.
  SIMT_DEVICE const split_row* find_split_row(u32 vertex) const {
    u32 low = 0;
    for (u32 count = arguments_.split_row_count; count > 1;) {
      const u32 half = count / 2;
      if (simt::load_readonly(&arguments_.split_rows[low + half].vertex) <= vertex) low += half;
      count -= half;
    }
    return arguments_.split_rows + low;
  }

  SIMT_DEVICE void relax_heavy(offset begin, u32 degree, u32 reached_at) {
    for (u32 heavy = simt::ballot(degree >= Configuration::heavy_degree); heavy != 0; heavy &= heavy - 1) {
      const u32 owner = simt::first_set(heavy);
      const offset row = simt::shuffle(begin, owner);
      const u32 row_degree = simt::shuffle(degree, owner);
      const u32 row_distance = simt::shuffle(reached_at, owner);
      for (u32 first = 0; first < row_degree; first += simt::warp_size) {
        relax_edge(row + first + simt::lane(), row_distance, first + simt::lane() < row_degree);
      }
    }
  }

  /// Lane l of step s relaxes edge 32 s + l of the concatenated rows. A row starts in a step where its bit is set; the
  /// number of rows started so far identifies the owner.
  SIMT_DEVICE void relax_light(offset begin, u32 degree, u32 reached_at) {
    const u32 scanned = simt::inclusive_scan(degree);
    const u32 start = scanned - degree;
    const u32 total = simt::shuffle(scanned, simt::warp_size - 1);
    if (total == 0) return;
    const u32 rows = simt::ballot(degree != 0);
    if (degree != 0) {
      row_entry* const entry = rows_ + simt::popcount(rows & simt::lanes_below());
      simt::store(&entry->edge_base, static_cast<u64>(begin) - start);
      simt::store(&entry->distance, reached_at);
    }
    simt::sync_warp();
    const u32 lanes_up_to_this = simt::lanes_below() | 1u << simt::lane();
    u32 rows_before = 0;
    for (u32 first = 0; first < total; first += simt::warp_size) {
      const bool starts_here = degree != 0 && start - first < simt::warp_size;
      const u32 starts = simt::warp_or(starts_here ? 1u << (start - first) : 0);
      const bool active = first + simt::lane() < total;
      u64 edge_base = 0;
      u32 row_distance = 0;
      if (active) {
        const row_entry* const entry = rows_ + rows_before + simt::popcount(starts & lanes_up_to_this) - 1;
        edge_base = simt::load(&entry->edge_base);
        row_distance = simt::load(&entry->distance);
      }
      rows_before += simt::popcount(starts);
      relax_edge(edge_base + first + simt::lane(), row_distance, active);
    }
    // The next batch overwrites the rows.
    simt::sync_warp();
  }

  SIMT_DEVICE void relax_edge(u64 position, u32 reached_at, bool active) {
    u32 target = 0;
    u32 length = 0;
    bool improves = false;
    if (active) {
      const typename edges::word edge = simt::load_readonly(edges_ + position);
      target = edges::target(edge);
      length = distance::extend(reached_at, edges::weight(edge));
      counters_.add(counter::relaxations, 1);
      if (!Configuration::read_first || length < load_distance(target)) {
        counters_.add(counter::distance_atomics, 1);
        improves = length < simt::atomic_min<simt::order::relaxed, simt::scope::device>(distances_ + target, length);
        if (improves) {
          counters_.add(counter::updates, 1);
          prefetch_row(target);
        }
      }
    }
    queue_.write(make_element(target, length), improves);
  }

  const offset* offsets_;
  const typename edges::word* edges_;
};

}  // namespace mlmq
