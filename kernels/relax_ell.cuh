// SPDX-License-Identifier: Apache-2.0
// Relaxes ELL rows, which have fixed positions. A hop of a search on a road network waits for one load less, because an
// edge is found without the bounds of its row, and nothing has to be scanned to deal edges to lanes. ell_width lanes
// take one row and load its element themselves from shared memory, so that the load of the row starts before anything
// else is known. A row that continues in an overflow row is relaxed in a second pass, or the overflow row becomes an
// element: a second pass delays the next batch, whereas an element has to wait, which is better if many rows overflow.
// Very long rows, and segments of split ones, are relaxed by their bounds (relax.cuh). A search with little parallelism
// relaxes small batches one after the other, and each instruction in between makes every hop longer: instructions take
// half of the cycles of a hop. The code therefore exists separately for one step and for two.
#pragma once

#include "relax.cuh"

namespace mlmq {

template <class Configuration, class Queue, class Counters>
class ell_relaxer : public row_relaxer<Configuration, Queue, Counters> {
  using base = row_relaxer<Configuration, Queue, Counters>;
  using distance = typename Configuration::distance;
  using edges = typename Configuration::edges;

  static constexpr u32 width = Configuration::ell_width;
  static constexpr u32 rows_per_step = simt::warp_size / width;
  /// Most steps whose loads are in flight together.
  static constexpr u32 steps = width < 4 ? width : 4;
  static_assert((width & (width - 1)) == 0 && width >= 2 && width <= simt::warp_size,
                "ell_width is 0 or a power of two from 2 to 32");
  /// Whether overflow rows are elements of their own.
  static constexpr bool queues_overflow = Configuration::queues_ell_overflow;

 public:
  /// Most rows that are relaxed together.
  static constexpr u32 max_rows = steps * rows_per_step;

  /// @param rows 32 entries of shared memory of this warp
  SIMT_DEVICE ell_relaxer(const search_arguments& arguments, row_entry* rows, Queue& queue, Counters& counters)
      : base(arguments, rows, queue, counters),
        ell_rows_(static_cast<const typename edges::word*>(arguments.ell_rows)),
        overflow_(reinterpret_cast<u64*>(rows)),
        gathered_(overflow_ + simt::warp_size) {}

  /// Warp collective: relaxes the elements of the queue until the run has ended.
  SIMT_DEVICE void run() {
    if constexpr (Queue::supports_runs) {
      element_run run;
      while (this->queue_.read_run(run, max_rows)) relax<Queue::l1_ring_size>(this->queue_.l1_ring(), run);
    } else {
      element e = 0;
      bool valid = false;
      while (this->queue_.read(e, valid)) relax(e, valid);
    }
  }

  /// Warp collective: relaxes the out-edges of the vertex of every lane with `valid`.
  SIMT_DEVICE void relax(element e, bool valid) {
    for (u32 pending_lanes = simt::ballot(valid); pending_lanes != 0;) {
      const bool is_selected =
          (pending_lanes >> simt::lane() & 1) != 0 && simt::popcount(pending_lanes & simt::lanes_below()) < max_rows;
      const u32 lanes = simt::ballot(is_selected);
      store_compact(gathered_, e, lanes);
      simt::sync_warp();
      relax<simt::warp_size>(gathered_, {0, simt::popcount(lanes)});
      pending_lanes &= ~lanes;
    }
  }

 private:
  /// A lane's view of a slot: the target of its edge or the special value of the slot, the distance of the row's
  /// vertex, and the row.
  struct slot {
    u32 target;
    u32 reached_at;
    u32 row;
  };

  /// Warp collective: relaxes the ELL rows of a run of at most most_rows elements. The places of the
  /// run may be written again when the first improved vertex is written.
  template <u32 ring_size>
  SIMT_DEVICE void relax(const u64* ring, const element_run& run) {
    deferred_rows deferred = {0, 0};
    if (run.count <= rows_per_step) {
      relax_steps<1, ring_size>(ring, run, deferred);
    } else if (run.count <= 2 * rows_per_step) {
      relax_steps<2, ring_size>(ring, run, deferred);
    } else {
      relax_steps<steps, ring_size>(ring, run, deferred);
    }
    if ((deferred.overflow | deferred.by_bounds) != 0) relax_deferred(deferred);
  }

  /// Rows to be relaxed after the current ones: ELL overflow rows wait in `overflow_`, elements whose rows are relaxed
  /// by their bounds in `gathered_`.
  struct deferred_rows {
    u32 overflow;
    u32 by_bounds;
  };

  template <u32 count, u32 ring_size>
  SIMT_DEVICE void relax_steps(const u64* ring, const element_run& run, deferred_rows& deferred) {
    slot slots[count];
    bool has_rest = false;
    relax_slots<count, ring_size, false>(ring, run, slots, has_rest);
    if (!simt::any(has_rest)) return;
#pragma unroll
    for (u32 step = 0; step < count; ++step) {
      if constexpr (!queues_overflow) keep_overflow(slots[step], deferred.overflow);
      const u32 lanes = simt::ballot(slots[step].target == long_row);
      store_compact(gathered_ + deferred.by_bounds, make_element(slots[step].row, slots[step].reached_at), lanes);
      deferred.by_bounds += simt::popcount(lanes);
    }
    simt::sync_warp();
  }

  /// @param all set to the contents of the lane's slots; count <= steps
  /// @param has_rest set to whether the row of any of this lane's slots continues elsewhere
  template <u32 count, u32 ring_size, bool is_overflow>
  SIMT_DEVICE void relax_slots(const u64* ring, const element_run& run, slot (&all)[count], bool& has_rest) {
    bool valid[count];
#pragma unroll
    for (u32 step = 0; step < count; ++step) {
      const u32 place = step * rows_per_step + simt::lane() / width;
      valid[step] = place < run.count;
      element e = 0;
      if (valid[step]) e = simt::load(ring + (run.first + place) % ring_size);
      all[step].row = vertex_of(e);
      all[step].reached_at = distance_of(e);
    }
    typename edges::word edge[count];
    u32 best[count];
#pragma unroll
    for (u32 step = 0; step < count; ++step) {
      const u32 row = all[step].row;
      const bool is_first_slot = simt::lane() % width == 0;
      if (!is_overflow && valid[step] && is_first_slot) this->counters_.add(counter::pops, 1);
      // Segments of split rows are not ELL rows.
      if (!is_overflow && valid[step] && this->is_segment(row)) {
        valid[step] = false;
        all[step].target = is_first_slot ? long_row : no_edge;
        has_rest = true;
      } else {
        all[step].target = no_edge;
      }
      best[step] = all[step].reached_at;
      if (valid[step]) {
        edge[step] = simt::load_readonly(ell_rows_ + (static_cast<u64>(row) * width + simt::lane() % width));
        if constexpr (!is_overflow) best[step] = this->load_distance(vertex_of_row(row));
      }
    }
    // All lanes have their elements: the places may be overwritten.
    simt::sync_warp();
    u32 length[count];
    bool improves[count];
#pragma unroll
    for (u32 step = 0; step < count; ++step) {
      const bool is_current = best[step] >= all[step].reached_at;
      if (valid[step] && is_current) all[step].target = edges::target(edge[step]);
      const u32 target = all[step].target;
      // A slot that names an overflow row has no weight: that row has the distance of its vertex.
      const bool is_written = queues_overflow ? target < long_row : is_edge(target);
      has_rest = has_rest || (queues_overflow ? target == long_row : !is_edge(target) && target != no_edge);
      length[step] = is_written ? distance::extend(all[step].reached_at, edges::weight(edge[step])) : unreached;
      improves[step] = is_edge(target);
      if (improves[step]) this->counters_.add(counter::relaxations, 1);
      if (valid[step] && !is_current && simt::lane() % width == 0) this->counters_.add(counter::stale_pops, 1);
    }
    if constexpr (Configuration::read_first) {
      u32 current[count];
#pragma unroll
      for (u32 step = 0; step < count; ++step) {
        current[step] = improves[step] ? this->load_distance(all[step].target) : 0;
      }
#pragma unroll
      for (u32 step = 0; step < count; ++step) improves[step] = length[step] < current[step];
    }
    u32 before[count];
#pragma unroll
    for (u32 step = 0; step < count; ++step) {
      // Padding slots must have infinite length; otherwise they would be relaxed.
      before[step] = is_edge(all[step].target) ? 0 : unreached;
      if (improves[step]) {
        this->counters_.add(counter::distance_atomics, 1);
        before[step] = simt::atomic_min<simt::order::relaxed, simt::scope::device>(this->distances_ + all[step].target,
                                                                                   length[step]);
      }
    }
#pragma unroll
    for (u32 step = 0; step < count; ++step) {
      improves[step] = length[step] < before[step];
      const u32 row = queues_overflow ? all[step].target & ~continuation : all[step].target;
      if (improves[step]) {
        this->counters_.add(is_edge(all[step].target) ? counter::updates : counter::ell_overflow, 1);
        this->prefetch_row(row);
      }
      this->queue_.write(make_element(row, length[step]), improves[step]);
    }
  }

  SIMT_DEVICE void relax_deferred(deferred_rows deferred) {
    // Both memories are used again before these are relaxed.
    const bool has_long = simt::lane() < deferred.by_bounds;
    element long_element = 0;
    if (has_long) long_element = simt::load(gathered_ + simt::lane());
    simt::sync_warp();
    if constexpr (!queues_overflow) relax_overflow(deferred.overflow);
    if (deferred.by_bounds != 0) this->relax_rows(long_element, has_long);
  }

  /// Follows each row that continues, to its end. At most most_rows rows wait at a time, in the slots of a ring.
  SIMT_DEVICE void relax_overflow(u32 waiting) {
    for (u32 first = 0; first != waiting;) {
      const u32 remaining = waiting - first;
      const element_run run = {first, remaining < rows_per_step ? remaining : rows_per_step};
      slot single[1];
      bool has_rest = false;
      relax_slots<1, simt::warp_size, true>(overflow_, run, single, has_rest);
      first += run.count;
      keep_overflow(single[0], waiting);
      simt::sync_warp();
    }
  }

  /// Puts the overflow row that a lane's slot names, if any, behind those that wait.
  SIMT_DEVICE void keep_overflow(const slot& relaxed, u32& waiting) {
    const bool has_next_row = (relaxed.target & continuation) != 0 && relaxed.target < long_row;
    const u32 lanes = simt::ballot(has_next_row);
    if (has_next_row) {
      simt::store(overflow_ + (waiting + simt::popcount(lanes & simt::lanes_below())) % simt::warp_size,
                  make_element(relaxed.target & ~continuation, relaxed.reached_at));
    }
    waiting += simt::popcount(lanes);
  }

  SIMT_DEVICE static bool is_edge(u32 target) { return (target & continuation) == 0; }

  /// Returns the vertex whose distance tells whether the element of a row is outdated. An overflow row has no vertex of
  /// its own; the word after the distances of all vertices is never lowered.
  SIMT_DEVICE u32 vertex_of_row(u32 row) const {
    if constexpr (!queues_overflow) return row;
    return row < this->arguments_.vertex_count ? row : this->arguments_.vertex_count;
  }

  const typename edges::word* ell_rows_;
  u64* overflow_;  // 32 words of shared memory
  u64* gathered_;  // likewise
};

/// The relaxer of a configuration.
template <bool has_ell_rows, class Configuration, class Queue, class Counters>
struct relaxer_of {
  using type = row_relaxer<Configuration, Queue, Counters>;
};
template <class Configuration, class Queue, class Counters>
struct relaxer_of<true, Configuration, Queue, Counters> {
  using type = ell_relaxer<Configuration, Queue, Counters>;
};

}  // namespace mlmq
