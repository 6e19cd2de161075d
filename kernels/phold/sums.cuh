// SPDX-License-Identifier: Apache-2.0
// Sums of a thread during a run, and their reduction for the host.
#pragma once

#include "phold/control_abi.cuh"
#include "simt/simt.cuh"

#ifndef MLMQ_PHOLD_COUNTERS
#error "MLMQ_PHOLD_COUNTERS: 1 for a variant that counts work, else 0"
#endif

namespace mlmq::phold {

inline constexpr bool counts_work = MLMQ_PHOLD_COUNTERS != 0;

/// Sums of one thread.
struct thread_sums {
  u64 events = 0;
  u64 hash = 0;
  u64 comparisons = 0;
  u64 moves = 0;
  u64 refiled = 0;
  u64 longest = 0;
  u64 insertion_ns = 0;
  u64 window_ns = 0;

  SIMT_DEVICE void count_event(u64 event, const event_draw& drawn) {
    ++events;
    hash += hash_of(event, drawn);
  }
  SIMT_DEVICE void count_comparisons(u64 amount) {
    if constexpr (counts_work) comparisons += amount;
  }
  SIMT_DEVICE void count_move() {
    if constexpr (counts_work) ++moves;
  }
  SIMT_DEVICE void count_refiled() {
    if constexpr (counts_work) ++refiled;
  }
  SIMT_DEVICE void count_length(u64 length) {
    if constexpr (counts_work) {
      if (length > longest) longest = length;
    }
  }

  /// Adds to the sums of the run. Called once by all lanes of a warp together.
  SIMT_DEVICE void add_to(run_sums* totals) const {
    add(&totals->events, events);
    add(&totals->hash, hash);
    if constexpr (counts_work) {
      add(&totals->comparisons, comparisons);
      add(&totals->moves, moves);
      add(&totals->refiled, refiled);
      add(&totals->insertion_ns, insertion_ns);
      add(&totals->window_ns, window_ns);
      const u32 most = simt::warp_max(static_cast<u32>(longest));
      // There is no atomic maximum; take the minimum of the complement.
      if (simt::lane() == 0) {
        simt::atomic_min<simt::order::relaxed, simt::scope::device>(&totals->longest, ~static_cast<u64>(most));
      }
    }
  }

 private:
  SIMT_DEVICE static void add(u64* total, u64 value) {
    for (u32 distance = simt::warp_size / 2; distance > 0; distance /= 2)
      value += simt::shuffle(value, simt::lane() ^ distance);
    if (simt::lane() == 0 && value != 0) simt::reduce_add<simt::order::relaxed, simt::scope::device>(total, value);
  }
};

}  // namespace mlmq::phold
