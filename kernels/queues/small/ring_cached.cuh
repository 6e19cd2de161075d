// SPDX-License-Identifier: Apache-2.0
// Small queue: a sorted circular buffer that takes in several new elements in one pass (the paper's CB-SEQ-SP, section
// 3.2). New elements wait, sorted, in a cache of registers. Before a removal, or when the cache is full, one pass goes
// over the buffer from the front: each place keeps the lesser of its element and the cache's first, and the other one
// goes into the cache. The elements that remain in the cache are appended.
//
// A pass reads all n elements, writes those behind the least new one, and costs `cache` comparisons for each of them.
// Suited to many insertions between two removals.
#pragma once

#include "queues/small/ring.cuh"

namespace mlmq {

/// Memory: small_ring_shape. @tparam Traits those of all small queues, with a group of one thread; cache, 2 to 16
template <class Traits, class Counters>
class small_ring_cached : public small_ring_base<small_ring_cached<Traits, Counters>, Traits, Counters> {
  using base = small_ring_base<small_ring_cached<Traits, Counters>, Traits, Counters>;
  using base::size_, base::capacity_, base::least_;
  static_assert(base::lanes == 1, "one thread owns such a buffer");
  static constexpr u32 cache = Traits::cache;
  static_assert(cache >= 2 && cache <= 16);

 public:
  using element = typename base::element;
  using group = typename base::group;
  using base::none;

  SIMT_DEVICE small_ring_cached(const small_queue_storage<element>& storage, u32 queue, group owner, void* /*scratch*/,
                                Counters& counters)
      : base(storage, queue, owner, counters) {
    clear_cache();
  }

  SIMT_DEVICE void save() {
    merge_cache();
    base::save_ring();
  }
  SIMT_DEVICE void clear() {
    base::clear();
    clear_cache();
  }

  SIMT_DEVICE u32 size() const { return size_ + waiting_; }
  SIMT_DEVICE bool is_empty() const { return size() == 0; }
  SIMT_DEVICE element least() const { return cached_[0] < least_ ? cached_[0] : least_; }

  SIMT_DEVICE bool insert(element e, bool enabled = true) {
    if (!enabled) return true;
    if (size() == capacity_) return false;
    if (waiting_ == cache) merge_cache();
    ++waiting_;
    for (u32 i = 0; i < cache; ++i) {
      const bool before = e < cached_[i];
      const element other = cached_[i];
      cached_[i] = before ? e : other;
      e = before ? other : e;
    }
    base::count_comparisons(cache);
    return true;
  }

  SIMT_DEVICE element remove_least(bool enabled = true) {
    if (!enabled || size() == 0) return none;
    merge_cache();
    const element removed = least_;
    base::drop(1);
    base::find_least();
    return removed;
  }

 private:
  SIMT_DEVICE void clear_cache() {
    waiting_ = 0;
    for (u32 i = 0; i < cache; ++i) cached_[i] = none;
  }

  /// Replaces the cache's first element by a larger one.
  SIMT_DEVICE void replace_first(element e) {
    cached_[0] = e;
    for (u32 i = 0; i + 1 < cache; ++i) {
      const element low = cached_[i + 1] < cached_[i] ? cached_[i + 1] : cached_[i];
      const element high = cached_[i + 1] < cached_[i] ? cached_[i] : cached_[i + 1];
      cached_[i] = low;
      cached_[i + 1] = high;
    }
    base::count_comparisons(cache - 1);
  }

  SIMT_DEVICE void merge_cache() {
    if (waiting_ == 0) return;
    for (u32 i = 0; i < size_; ++i) {
      const element other = base::load_rank(i);
      base::count_comparisons(1);
      if (!(cached_[0] < other)) continue;
      base::store_rank(i, cached_[0]);
      replace_first(other);
    }
    for (u32 i = 0; i < cache; ++i) {
      if (i < waiting_) base::store_rank(size_ + i, cached_[i]);
    }
    size_ += waiting_;
    clear_cache();
    base::find_least();
  }

  element cached_[cache];
  u32 waiting_ = 0;
};

}  // namespace mlmq
