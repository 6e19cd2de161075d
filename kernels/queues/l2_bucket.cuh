// SPDX-License-Identifier: Apache-2.0
// L2 bucket queue: bmax rings, one for each interval of Δ keys (MLMQ, section 4.2, L2DQ; Δ-stepping).
//
// Buckets are numbered by key / Δ; the rings hold a window of bmax consecutive buckets. The manager raises the lowest
// of them, the word `window`, to the first bucket that holds work; readers take from `late` buckets below it up to
// `bnum` above it. The late buckets exist because a writer knows `window` only through its block's copy: elements that
// it writes for a bucket that the window has just passed are still found first, instead of after a whole turn of the
// rings. If all workers of a block wait, its dispatcher takes from `idle_buckets`: the redundant work that this costs
// is done by idle warps. A key beyond the window goes to the last bucket; when that bucket opens, its elements are
// sorted into the window of that time. If none of them belonged there, the window would have to advance one window at a
// time to reach them. Workers therefore leave the lowest bucket that they met beyond the window in `beyond`, and the
// manager jumps to it as soon as only the last ring holds work. If the window is too high, elements are taken out of
// order, but none is lost.
//
// With adapts_delta, the manager changes Δ during the run (delta_control.cuh), and buckets are numbered by a mapping
// (bucket_mapping.cuh), of which each block has a copy, like of the window. In this case `beyond` is a key, because a
// bucket begins at another key after a change.
#pragma once

#include "queues/bucket_mapping.cuh"
#include "queues/l2_rings.cuh"

namespace mlmq {

/// Scope: any warp of the grid, all lanes of which call a function together. Memory order: writing the slot publishes
/// the element; accesses to anything else that the element stands for are ordered only by the end of the run
/// (dispatcher.cuh). Capacity: each bucket has a ring (queue_storage); a writer that finds it full waits, and after
/// full_wait_ns ends the run as queue_full.
/// @tparam Traits a whole order (order.cuh); storage, a view like queue_storage; bmax, the number of buckets, a power
///   of two up to 32; bnum and idle_buckets, the numbers of buckets that a block with work and an idle block
///   read, where late + the larger of them is below bmax; adapts_delta, whether the manager changes Δ during the run
/// @tparam Fifos l2_rings, or l2_blocks in the order of this queue
template <class Traits, class Counters,
          class Fifos = l2_rings<typename Traits::order::element, typename Traits::storage, Counters>>
class l2_bucket : public Fifos {
 public:
  using element = typename Traits::order::element;

 private:
  using order = typename Traits::order;
  static constexpr u32 late = 2;

 public:
  static constexpr u32 subqueue_count = Traits::bmax;
  static constexpr u32 open_subqueues = late + Traits::bnum;
  static constexpr u32 subqueues_when_idle =
      late + (Traits::idle_buckets > Traits::bnum ? Traits::idle_buckets : Traits::bnum);
  static constexpr u32 first_window = late;
  static constexpr bool adapts_delta = Traits::adapts_delta;
  static_assert((subqueue_count & (subqueue_count - 1)) == 0, "bmax is a power of two");
  static_assert(subqueue_count <= max_subqueues && subqueues_when_idle < subqueue_count);

  SIMT_DEVICE l2_bucket(const typename Traits::storage& storage, const block_words* block, Counters& counters)
      : Fifos(storage, block, counters), buckets_per_key_(storage.buckets_per_key) {}

  /// Warp collective: files the element of every lane with `valid` under its bucket.
  SIMT_DEVICE void write(element e, bool valid) {
    if (!simt::any(valid)) return;
    const u32 lowest = known_window() - late;
    const u32 bucket = bucket_of(e);
    const u32 distance_from_lowest = bucket > lowest ? bucket - lowest : 0;
    const u32 last = subqueue_count - 1;
    const u32 place = lowest + (distance_from_lowest < last ? distance_from_lowest : last);
    this->template push<false>(place % subqueue_count, e, valid);
  }

  static constexpr bool is_always_open = false;

  /// Returns false for an element from the last bucket that belongs to a later bucket; it must be written again.
  SIMT_DEVICE bool is_open(element e) const {
    const u32 bucket = bucket_of(e);
    const u32 window = known_window();
    return bucket < window || bucket - window < subqueues_when_idle - late;
  }

  SIMT_DEVICE u32 open_subqueue(u32 window, u32 rank) const { return (window - late + rank) % subqueue_count; }
  SIMT_DEVICE u32 subqueue_in_order(u32 window, u32 rank) const { return open_subqueue(window, rank); }
  /// Returns the rank at which open_subqueue() is this one.
  SIMT_DEVICE static u32 priority_of(u32 window, u32 subqueue) { return (subqueue - (window - late)) % subqueue_count; }
  /// Warp collective of the manager: returns the window if the `rank`-th subqueue in priority order is the first that
  /// holds work.
  /// @param mapping the current mapping, if Δ is adapted
  SIMT_DEVICE u32 advanced_window(u32 window, u32 rank, const bucket_mapping& mapping = {}) const {
    if (rank <= late) return window;
    const u32 next = window + rank - late;
    if (rank != subqueue_count - 1) return next;
    u32 beyond = 0;
    if (simt::lane() == 0) {
      beyond = simt::atomic_exchange<simt::order::relaxed, simt::scope::device>(&this->storage_.control->beyond, ~0u);
    }
    beyond = simt::shuffle(beyond, 0);
    if constexpr (adapts_delta) {
      if (beyond != ~0u)
        beyond = bucket_mapping::bucket_of(mapping.to_word(), order::to_float(beyond), buckets_per_key_);
    }
    if (beyond == ~0u || beyond < next + subqueue_count) return next;
    // The highest window up to `beyond` at which the ring that holds work is read first.
    return beyond - (beyond - late - open_subqueue(window, rank)) % subqueue_count;
  }

  /// Warp collective of a worker: notes that the elements of the lanes with `valid` were not open.
  SIMT_DEVICE void note_deferred(element e, bool valid) const {
    if constexpr (adapts_delta) {
      // Stores a key, because Δ may change before the manager reads it, and keys keep their meaning.
      const u32 key = simt::warp_min(valid ? order::key_of(e) : ~0u);
      if (simt::lane() == 0 && bucket_of_key(key) - known_window() >= subqueue_count) {
        simt::atomic_min<simt::order::relaxed, simt::scope::device>(&this->storage_.control->beyond, key);
      }
      return;
    }
    const u32 bucket = simt::warp_min(valid ? bucket_of(e) : ~0u);
    if (simt::lane() == 0 && bucket - known_window() >= subqueue_count) {
      simt::atomic_min<simt::order::relaxed, simt::scope::device>(&this->storage_.control->beyond, bucket);
    }
  }

 private:
  SIMT_DEVICE u32 known_window() const {
    return simt::load_atomic<simt::order::relaxed, simt::scope::block>(&this->block_->window);
  }
  SIMT_DEVICE u32 bucket_of(element e) const { return bucket_of_key(order::key_of(e)); }
  SIMT_DEVICE u32 bucket_of_key(u32 key) const {
    if constexpr (adapts_delta) {
      const u64 word = simt::load_atomic<simt::order::relaxed, simt::scope::block>(&this->block_->mapping);
      return bucket_mapping::bucket_of(word, order::to_float(key), buckets_per_key_);
    }
    const float bucket = order::to_float(key) * buckets_per_key_;
    // Far below 2^32, so that window + bmax cannot wrap.
    return late + static_cast<u32>(bucket < 2147483648.0f ? bucket : 2147483648.0f);
  }

  float buckets_per_key_;
};

}  // namespace mlmq
