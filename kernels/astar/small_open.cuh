// SPDX-License-Identifier: Apache-2.0
// The open list of one search as a small queue (queues/small): elements of f and cell, the least f first. One warp owns
// it. The first lanes, as many as the queue's group has, work on it; the other lanes only take part in the calls.
#pragma once

#include "astar/configuration.cuh"
#include "queues/small/selected.cuh"

namespace path_finding {

/// Counts only the comparisons of the queue.
class open_counters {
 public:
  SIMT_DEVICE void add(mlmq::small_queue_counter kind, u32 amount) {
    if constexpr (counting) {
      if (kind == mlmq::small_queue_counter::comparisons) comparisons_ += amount;
    }
  }
  SIMT_DEVICE void store(u64* sums) const {
    if constexpr (counting) {
      simt::reduce_add<simt::order::relaxed, simt::scope::device>(sums + static_cast<u32>(astar_count::comparisons),
                                                                  comparisons_);
    }
  }

 private:
  u64 comparisons_ = 0;
};

class small_open {
  using queue = mlmq::selected_small_queue<u64, open_counters>;
  using group = typename mlmq::selected_small_traits<u64>::group;
  static constexpr u32 lanes = group::size;
  static_assert(lanes <= simt::warp_size);

 public:
  /// @param number the warp's queue in `storage`
  /// @param scratch shared memory of the queues of all groups of the block
  SIMT_DEVICE small_open(const mlmq::small_queue_storage<u64>& storage, u32 number, u8* scratch)
      : queue_(storage, is_owner() ? number : storage.queues, group(scratch), scratch, counters_) {}
  small_open(const small_open&) = delete;
  small_open& operator=(const small_open&) = delete;

  SIMT_DEVICE void begin(u32 /*least*/) { queue_.clear(); }

  /// Returns whether the item that this lane has just taken was added for this f.
  SIMT_DEVICE bool is_current(u32 f) const { return f == f_taken_; }

  /// This list has no limit of f, so no item is beyond it.
  SIMT_DEVICE bool is_later(u32 /*f*/) const { return false; }

  /// Takes up to cells_at_once cells with the least f. Parameters are those of bucket_ring.
  SIMT_DEVICE u32 take(u32 limit, u32& cell) {
    u64 taken = none;
    if constexpr (lanes == simt::warp_size) {
      if (f_of(queue_.least()) < limit) taken = queue_.remove_many(cells_at_once);
    } else {
      for (u32 i = 0; i < cells_at_once; ++i) {
        const u64 e = simt::shuffle(remove_below(limit), 0);
        if (e == none) break;
        if (simt::lane() == i) taken = e;
      }
    }
    f_taken_ = f_of(taken);
    cell = static_cast<u32>(taken);
    return simt::popcount(simt::ballot(taken != none));
  }

  /// Called by all lanes together. @return false if the list is full
  SIMT_DEVICE bool add(bool has_cell, u32 cell, u32 f) {
    const u64 e = static_cast<u64>(f) << 32 | cell;
    if constexpr (lanes == simt::warp_size) {
      return queue_.insert_many(e, has_cell);
    } else {
      bool fits = true;
      for (u32 pending_lanes = simt::ballot(has_cell); pending_lanes != 0; pending_lanes &= pending_lanes - 1) {
        const u64 next = simt::shuffle(e, simt::first_set(pending_lanes));
        if constexpr (lanes == 1) {
          if (is_owner()) fits = queue_.insert(next) && fits;
        } else {
          fits = queue_.insert(next, is_owner()) && fits;
        }
      }
      return fits;
    }
  }

  SIMT_DEVICE void store_counts(u64* sums) const { counters_.store(sums); }

 private:
  static constexpr u64 none = mlmq::no_element<u64>;

  SIMT_DEVICE static bool is_owner() { return simt::lane() < lanes; }
  SIMT_DEVICE static u32 f_of(u64 e) { return static_cast<u32>(e >> 32); }

  /// Lane 0 removes and returns the least element, unless its f is `limit` or more.
  SIMT_DEVICE u64 remove_below(u32 limit) {
    if constexpr (lanes == 1) {
      return is_owner() && f_of(queue_.least()) < limit ? queue_.remove_least() : none;
    } else {
      const bool below = f_of(queue_.least()) < limit;  // called by all groups: it may be a collective
      return queue_.remove_least(is_owner() && below);
    }
  }

  open_counters counters_;
  queue queue_;
  u32 f_taken_ = 0;
};

}  // namespace path_finding
