// SPDX-License-Identifier: Apache-2.0
// Relaxing rows that lie in place: a hop of a search on a road network waits for one load less, because an edge is
// found without the bounds of its row, and nothing has to be scanned to deal edges to lanes. row_slots lanes take one
// row. Rows that go on elsewhere are relaxed in a second pass; very long ones by their bounds (relax.cuh).
#pragma once

#include "relax.cuh"

namespace mlmq {

template <class Configuration, class Queue, class Counters>
class in_place_relaxer : public row_relaxer<Configuration, Queue, Counters> {
  using base = row_relaxer<Configuration, Queue, Counters>;
  using distance = typename Configuration::distance;
  using edges = typename Configuration::edges;

  static constexpr u32 slots = Configuration::row_slots;
  static constexpr u32 rows_per_step = simt::warp_size / slots;
  /// Steps whose loads are in flight together.
  static constexpr u32 steps = slots < 4 ? slots : 4;
  static_assert((slots & (slots - 1)) == 0 && slots >= 2 && slots <= simt::warp_size,
                "row_slots is 0 or a power of two from 2 to 32");

 public:
  SIMT_DEVICE in_place_relaxer(const search_arguments& arguments, row_entry* rows, Queue& queue, Counters& counters)
      : base(arguments, rows, queue, counters),
        in_place_(static_cast<const typename edges::word*>(arguments.rows_in_place)) {}

  /// Warp collective: relaxes the out-edges of the vertex of every lane with `valid`.
  SIMT_DEVICE void relax(element e, bool valid) {
    const bool part = valid && this->is_part(vertex_of(e));
    const bool in_place = valid && !part;
    u32 best = 0;
    if (valid) this->counters_.add(counter::pops, 1);
    if (in_place) best = this->load_distance(vertex_of(e));
    // Of this lane's row: no_edge, or where it goes on.
    u32 next = relax_rows_in_place(vertex_of(e), distance_of(e), best, in_place);
    if (in_place && best < distance_of(e)) this->counters_.add(counter::stale_pops, 1);
    const bool by_bounds = part || next == long_row;
    u32 reached_at = distance_of(e);
    bool goes_on = next < long_row;
    while (simt::any(goes_on)) {
      compact(next, reached_at, goes_on);
      next = relax_rows_in_place(next & ~continuation, reached_at, reached_at, goes_on);
      goes_on = next < long_row;
    }
    if (simt::any(by_bounds)) this->relax_rows(e, by_bounds);
  }

 private:
  /// The row of every lane with `valid`. @param best present distance of the vertex: an outdated row is passed over
  /// @return where this lane's row goes on; no_edge if nowhere or outdated
  SIMT_DEVICE u32 relax_rows_in_place(u32 row, u32 reached_at, u32 best, bool valid) {
    const u32 rows = simt::ballot(valid);
    u32 next = no_edge;
    for (u32 first = 0; first < simt::warp_size && rows >> first != 0; first += steps * rows_per_step) {
      relax_steps(row, reached_at, best, rows, first, next);
    }
    return next;
  }

  /// The rows of lanes `first` … `first` + steps * rows_per_step - 1.
  SIMT_DEVICE void relax_steps(u32 row, u32 reached_at, u32 best, u32 rows, u32 first, u32& next) {
    typename edges::word edge[steps];
    u32 target[steps];
#pragma unroll
    for (u32 step = 0; step < steps; ++step) {
      const u32 owner = owner_in(first, step);
      const u32 place = simt::shuffle(row, owner);
      target[step] = no_edge;
      if (rows >> owner & 1) {
        edge[step] = simt::load_readonly(in_place_ + (static_cast<u64>(place) * slots + simt::lane() % slots));
        target[step] = edges::target(edge[step]);
      }
    }
    // Asked for after the loads have been sent, so that it does not wait before them.
    const u32 current = rows & ~simt::ballot(best < reached_at);
    u32 length[steps];
    bool improves[steps];
    bool goes_on = false;
#pragma unroll
    for (u32 step = 0; step < steps; ++step) {
      const u32 owner = owner_in(first, step);
      const u32 distance_there = simt::shuffle(reached_at, owner);
      if ((current >> owner & 1) == 0) target[step] = no_edge;
      const bool is_edge = (target[step] & continuation) == 0;
      goes_on = goes_on || (!is_edge && target[step] != no_edge);
      length[step] = is_edge ? distance::extend(distance_there, edges::weight(edge[step])) : unreached;
      improves[step] = is_edge;
      if (is_edge) this->counters_.add(counter::relaxations, 1);
    }
    if constexpr (Configuration::read_first) {
      u32 present[steps];
#pragma unroll
      for (u32 step = 0; step < steps; ++step) {
        present[step] = improves[step] ? this->load_distance(target[step]) : 0;
      }
#pragma unroll
      for (u32 step = 0; step < steps; ++step) improves[step] = length[step] < present[step];
    }
    u32 before[steps];
#pragma unroll
    for (u32 step = 0; step < steps; ++step) {
      before[step] = 0;
      if (improves[step]) {
        this->counters_.add(counter::distance_atomics, 1);
        before[step] =
            simt::atomic_min<simt::order::relaxed, simt::scope::device>(this->distances_ + target[step], length[step]);
      }
    }
#pragma unroll
    for (u32 step = 0; step < steps; ++step) {
      improves[step] = length[step] < before[step];
      if (improves[step]) {
        this->counters_.add(counter::updates, 1);
        this->prefetch_row(target[step]);
      }
      this->queue_.write(make_element(target[step], length[step]), improves[step]);
    }
    if (simt::any(goes_on)) find_next(target, first, next);
  }

  SIMT_DEVICE static u32 owner_in(u32 first, u32 step) {
    return (first + step * rows_per_step + simt::lane() / slots) % simt::warp_size;
  }

  /// Tells the owners of rows that go on where: the first word says long_row, or the last one has the number.
  SIMT_DEVICE void find_next(const u32 (&target)[steps], u32 first, u32& next) {
#pragma unroll
    for (u32 step = 0; step < steps; ++step) {
      const u32 place = simt::lane() - first - step * rows_per_step;
      const u32 begin = place % rows_per_step * slots;
      const u32 first_word = simt::shuffle(target[step], begin);
      const u32 last_word = simt::shuffle(target[step], begin + slots - 1);
      if (place < rows_per_step) {
        if (first_word == long_row) next = long_row;
        if ((last_word & continuation) != 0 && last_word < long_row) next = last_word;
      }
    }
  }

  /// Moves the rows of the lanes with `valid` to the first lanes.
  SIMT_DEVICE void compact(u32& row, u32& reached_at, bool& valid) {
    const u32 lanes = simt::ballot(valid);
    if (valid) {
      row_entry* const entry = this->rows_ + simt::popcount(lanes & simt::lanes_below());
      simt::store(&entry->edge_base, static_cast<u64>(row));
      simt::store(&entry->distance, reached_at);
    }
    simt::sync_warp();
    valid = simt::lane() < simt::popcount(lanes);
    if (valid) {
      row = static_cast<u32>(simt::load(&this->rows_[simt::lane()].edge_base));
      reached_at = simt::load(&this->rows_[simt::lane()].distance);
    }
    simt::sync_warp();
  }

  const typename edges::word* in_place_;
};

/// The relaxer of a configuration.
template <bool in_place, class Configuration, class Queue, class Counters>
struct relaxer_of {
  using type = row_relaxer<Configuration, Queue, Counters>;
};
template <class Configuration, class Queue, class Counters>
struct relaxer_of<true, Configuration, Queue, Counters> {
  using type = in_place_relaxer<Configuration, Queue, Counters>;
};

}  // namespace mlmq
