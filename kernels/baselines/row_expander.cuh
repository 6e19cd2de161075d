// SPDX-License-Identifier: Apache-2.0
// Relaxes the edges of up to 32 vertices with one warp, for the baselines. All lanes together relax each row of high
// degree; the other rows are concatenated and their edges are dealt to the lanes. This is like kernels/relax.cuh, but
// without the parts that only the multi-level queue needs, and with two edges per lane at a time: supersteps and
// assignments wait for the last warp, so the latencies of two edges should overlap.
#pragma once

#include "search_abi.cuh"
#include "vertex_element.cuh"

namespace mlmq {

template <class Configuration, class Queue, class Counters>
class row_expander {
  using offset = typename Configuration::offset;
  using distance = typename Configuration::distance;
  using edges = typename Configuration::edges;
  using width = typename Configuration::width;
  using word = typename width::word;
  using entry_of_row = typename width::rows;

 public:
  /// A vertex to relax.
  struct row {
    u64 begin;      ///< position of the first edge
    u32 degree;     ///< 0: nothing to do
    word distance;  ///< distance at which it was reached
  };

  /// @param arguments with the members offsets, edges and distances of search_arguments
  /// @param rows 32 entries of shared memory of this warp
  template <class Arguments>
  SIMT_DEVICE row_expander(const Arguments& arguments, entry_of_row* rows, Queue& queue, Counters& counters)
      : offsets_(static_cast<const offset*>(arguments.offsets)),
        edges_(static_cast<const typename edges::word*>(arguments.edges)),
        distances_(reinterpret_cast<word*>(arguments.distances)),
        rows_(rows),
        queue_(queue),
        counters_(counters) {}

  /// Returns the row of a lane's vertex; its degree is 0 without `valid` and for an outdated element.
  SIMT_DEVICE row load_row(element e, bool valid) {
    row loaded = {0, 0, width::from_key(distance_of(e))};
    if (valid) {
      counters_.add(counter::pops, 1);
      const u32 vertex = vertex_of(e);
      // Three independent loads: their latencies overlap.
      const word best = load_distance(vertex);
      const offset begin = simt::load_readonly(offsets_ + vertex);
      const offset end = simt::load_readonly(offsets_ + vertex + 1);
      loaded.begin = begin;
      bool is_outdated;
      if constexpr (width::has_exact_keys) {
        is_outdated = best < loaded.distance;
      } else {
        is_outdated = width::is_outdated(best, distance_of(e));
        loaded.distance = best;
      }
      if (is_outdated) {
        counters_.add(counter::stale_pops, 1);
      } else {
        loaded.degree = static_cast<u32>(end - begin);
      }
    }
    return loaded;
  }

  /// Warp collective: relaxes the edges of the rows of all lanes.
  SIMT_DEVICE void relax_rows(const row& lane_row) {
    const bool is_heavy = lane_row.degree >= Configuration::heavy_degree;
    for (u32 heavy = simt::ballot(is_heavy); heavy != 0; heavy &= heavy - 1) {
      const u32 owner = simt::first_set(heavy);
      relax_row({simt::shuffle(lane_row.begin, owner), simt::shuffle(lane_row.degree, owner),
                 simt::shuffle(lane_row.distance, owner)});
    }
    relax_light(lane_row.begin, is_heavy ? 0 : lane_row.degree, lane_row.distance);
  }

  /// Returns the current distance of a vertex.
  SIMT_DEVICE word load_distance(u32 vertex) const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::device>(distances_ + vertex);
  }

  /// Warp collective: relaxes one row, equal on all lanes.
  SIMT_DEVICE void relax_row(const row& common) {
    for (u32 first = simt::lane(); simt::any(first < common.degree); first += 2 * simt::warp_size) {
      const u32 second = first + simt::warp_size;
      relax_two({common.begin + first, common.distance, first < common.degree},
                {common.begin + second, common.distance, second < common.degree});
    }
  }

 private:
  struct dealt_edge {
    u64 position;
    word reached_at;  ///< distance of the row's vertex
    bool active;
  };
  struct loaded_edge {
    u32 target;
    word length;
  };

  /// Lane l of step s relaxes edge 32 s + l of the concatenated rows.
  SIMT_DEVICE void relax_light(u64 begin, u32 degree, word reached_at) {
    const u32 scanned = simt::inclusive_scan(degree);
    const u32 start = scanned - degree;
    const u32 total = simt::shuffle(scanned, simt::warp_size - 1);
    if (total == 0) return;
    const u32 rows = simt::ballot(degree != 0);
    if (degree != 0) {
      entry_of_row* const entry = rows_ + simt::popcount(rows & simt::lanes_below());
      simt::store(&entry->edge_base, begin - start);
      simt::store(&entry->distance, reached_at);
    }
    simt::sync_warp();
    u32 rows_before = 0;
    for (u32 first = 0; first < total; first += 2 * simt::warp_size) {
      const dealt_edge first_dealt = deal(first, start, degree, total, rows_before);
      const dealt_edge second_dealt = deal(first + simt::warp_size, start, degree, total, rows_before);
      relax_two(first_dealt, second_dealt);
    }
    // The next rows overwrite the shared memory of these.
    simt::sync_warp();
  }

  /// Returns this lane's edge of the step that begins at `first`. A row starts in a step where its bit is set; the
  /// number of rows that have started so far identifies the owner.
  /// @param rows_before rows started in earlier steps; becomes those before the next step
  SIMT_DEVICE dealt_edge deal(u32 first, u32 start, u32 degree, u32 total, u32& rows_before) const {
    const bool starts_here = degree != 0 && start - first < simt::warp_size;
    const u32 starts = simt::warp_or(starts_here ? 1u << (start - first) : 0);
    dealt_edge dealt = {0, 0, first + simt::lane() < total};
    if (dealt.active) {
      const u32 up_to_this = simt::lanes_below() | 1u << simt::lane();
      const entry_of_row* const entry = rows_ + rows_before + simt::popcount(starts & up_to_this) - 1;
      dealt.position = simt::load(&entry->edge_base) + first + simt::lane();
      dealt.reached_at = simt::load(&entry->distance);
    }
    rows_before += simt::popcount(starts);
    return dealt;
  }

  /// Issues each kind of access for both edges before the next kind, which needs the result.
  SIMT_DEVICE void relax_two(const dealt_edge& first_dealt, const dealt_edge& second_dealt) {
    const loaded_edge first = load_edge(first_dealt);
    const loaded_edge second = load_edge(second_dealt);
    bool first_tries = first_dealt.active;
    bool second_tries = second_dealt.active;
    if constexpr (Configuration::read_first) {
      // Most edges do not improve anything: a load is cheaper than an atomic.
      const word first_best = first_dealt.active ? load_distance(first.target) : 0;
      const word second_best = second_dealt.active ? load_distance(second.target) : 0;
      first_tries = first.length < first_best;
      second_tries = second.length < second_best;
    }
    const word first_old = first_tries ? lower(first) : 0;
    const word second_old = second_tries ? lower(second) : 0;
    write(first, first_tries && first.length < first_old);
    write(second, second_tries && second.length < second_old);
  }

  SIMT_DEVICE loaded_edge load_edge(const dealt_edge& dealt) {
    loaded_edge result = {0, 0};
    if (dealt.active) {
      const typename edges::word edge = simt::load_readonly(edges_ + dealt.position);
      result.target = edges::target(edge);
      result.length = distance::extend(dealt.reached_at, edges::weight(edge));
      counters_.add(counter::relaxations, 1);
    }
    return result;
  }

  SIMT_DEVICE word lower(const loaded_edge& f) {
    counters_.add(counter::distance_atomics, 1);
    return simt::atomic_min<simt::order::relaxed, simt::scope::device>(distances_ + f.target, f.length);
  }

  SIMT_DEVICE void write(const loaded_edge& f, bool improves) {
    if (improves) counters_.add(counter::updates, 1);
    queue_.write(make_element(f.target, width::key_of(f.length)), improves);
  }

  const offset* offsets_;
  const typename edges::word* edges_;
  word* distances_;
  entry_of_row* rows_;
  Queue& queue_;
  Counters& counters_;
};

}  // namespace mlmq
