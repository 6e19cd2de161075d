// SPDX-License-Identifier: Apache-2.0
// Chooses Δ during a run, for the manager (l2_bucket with adapts_delta).
//
// Whatever Δ is, a bucket has a fixed cost: the manager must see that it is empty, the dispatchers that the window has
// moved, and most warps wait for its last elements. So Δ is wide enough when buckets last long in comparison. An even
// wider Δ adds redundant work, which nearly idle warps do at no cost. A narrower Δ pays only when more elements wait
// than all warps can take. Hence two rules, both based on the manager's scans of the rings, which are also the unit of
// time. A scan takes as long as two dependent accesses to global memory.
//   wider     buckets last less than `scans_per_bucket`: by as much as is missing, at once
//   narrower  the window has stood still for `scans_before_narrowing`, and `crowded_elements` per worker warp wait in
//             open buckets: by half, and again only after some buckets of the new width
// Between the two limits Δ stays, so that it does not oscillate. docs/notebook/performance.md lists what else was
// tried.
#pragma once

#include "queues/bucket_mapping.cuh"
#include "queues/counters.cuh"
#include "queues/storage.cuh"

namespace mlmq {

/// Constant Δ: the buckets keep their width.
struct constant_delta {
  template <class Storage, class Counters>
  SIMT_DEVICE constant_delta(const Storage&, Counters&) {}
};

/// State of the manager warp; all its lanes call each function together.
template <class L2, class Storage, class Counters>
class delta_control {
 public:
  SIMT_DEVICE delta_control(const Storage& storage, Counters& counters)
      : storage_(storage), counters_(counters), mapping_(bucket_mapping::at_start(L2::first_window)) {}

  SIMT_DEVICE const bucket_mapping& mapping() const { return mapping_; }

  /// Called after each scan of the manager, and after the window has moved as a result.
  /// @param counts of the subqueue whose rank in order of priority is the lane's, as seen before that move
  SIMT_DEVICE void observe(const simt::quad& counts, u32 window) {
    ++scans_;
    ++scans_of_window_;
    if (window == window_) {
      if (scans_of_window_ >= scans_before_narrowing) consider_narrower(counts, window);
      return;
    }
    window_ = window;
    scans_of_window_ = 0;
    if (window < mapping_.first) {
      begin_to_count();
    } else if (++moves_ >= moves_per_decision) {
      consider_wider(counts, window);
    }
  }

 private:
  static constexpr u32 scans_per_bucket = 32;
  static constexpr u32 scans_before_narrowing = 40;
  static constexpr u32 crowded_elements = 8;
  static constexpr u32 moves_per_decision = 3;

  SIMT_DEVICE void begin_to_count() {
    scans_ = 0;
    moves_ = 0;
  }

  /// Returns whether at least 1 / `part` of `crowded_elements` wait for each worker warp.
  SIMT_DEVICE static bool is_crowded(const simt::quad& counts, u32 part) {
    const int waiting = L2::available(counts);
    const u32 total = simt::warp_add(simt::lane() < L2::open_subqueues && waiting > 0 ? static_cast<u32>(waiting) : 0);
    const u32 workers = (simt::grid_blocks() - 1) * (simt::block_threads() / simt::warp_size - 1);
    return static_cast<u64>(total) * part >= static_cast<u64>(workers) * crowded_elements;
  }

  SIMT_DEVICE void consider_wider(const simt::quad& counts, u32 window) {
    // Number of doublings after which a bucket lasts `scans_per_bucket`, rounded.
    int steps = 0;
    for (u32 missing = 2 * scans_per_bucket * moves_; missing >= 3 * scans_ && steps < bucket_mapping::widest;
         missing /= 2)
      ++steps;
    begin_to_count();
    if (steps == 0 || is_crowded(counts, 4)) return;
    const int exponent = mapping_.above + steps;
    // The rank of the window is first_window, and its move since the scan does not matter.
    const bool is_used = simt::lane() < L2::subqueue_count && counts.x != counts.y;
    const u32 end = simt::warp_max(is_used ? simt::lane() + 1 : 0);
    change(window + (end > L2::first_window ? end - L2::first_window : 0),
           exponent < bucket_mapping::widest ? exponent : bucket_mapping::widest, window);
  }

  SIMT_DEVICE void consider_narrower(const simt::quad& counts, u32 window) {
    scans_of_window_ = 0;
    if (waits_for_moves_ && moves_ < moves_per_decision) return;
    const int exponent = window < mapping_.first ? mapping_.below : mapping_.above;
    if (exponent == bucket_mapping::narrowest || !is_crowded(counts, 1)) return;
    change(window, exponent - 1, window);
    waits_for_moves_ = true;
  }

  SIMT_DEVICE void change(u32 first_bucket, int exponent, u32 window) {
    begin_to_count();
    if (exponent == mapping_.above && first_bucket >= mapping_.first) return;
    if (first_bucket >= bucket_mapping::first_limit) return;
    mapping_ = mapping_.changed_from(first_bucket, exponent, storage_.buckets_per_key);
    if (simt::lane() == 0) {
      using simt::order;
      using simt::scope;
      simt::store_atomic<order::relaxed, scope::device>(&storage_.control->mapping, mapping_.to_word());
      simt::store_atomic<order::relaxed, scope::device>(&storage_.control->window, mapping_.window_word(window));
      counters_.add(queue_counter::delta_changes, 1);
    }
  }

  const Storage& storage_;
  Counters& counters_;
  bucket_mapping mapping_;
  u32 window_ = L2::first_window;
  u32 scans_ = 0;            // scans since the first of `moves_` began
  u32 moves_ = 0;            // moves of the window since Δ changed or was confirmed
  u32 scans_of_window_ = 0;  // scans since the window moved
  bool waits_for_moves_ = false;
};

template <bool adapts, class L2, class Storage, class Counters>
struct delta_of {
  using type = constant_delta;
};
template <class L2, class Storage, class Counters>
struct delta_of<true, L2, Storage, Counters> {
  using type = delta_control<L2, Storage, Counters>;
};

}  // namespace mlmq
