// SPDX-License-Identifier: Apache-2.0
// Small queue: a sorted circular buffer that takes in several new elements in one pass (the paper's CB-SEQ-SP, section
// 3.2). New elements wait, sorted, in a cache of registers. Before a removal, or when the cache is full, one pass goes
// over the buffer from the front and writes the lesser of the next element and the cache's first, until the cache is
// empty. It begins in front of the buffer, by as many places as elements wait. The paper's begins at the first element,
// exchanges elements with the cache, and goes on to the end; an exchange moves elements within the cache.
//
// A pass reads, compares and writes the elements up to the largest new one. Suited to many insertions between two
// removals. While the buffer has fewer elements than Traits::pass_from, each new one is inserted from the back instead,
// as CB-SEQ does: the way of insertion may change during a run, since the buffer is the same.
#pragma once

#include "queues/small/ring.cuh"

namespace mlmq {

/// Memory: small_ring_shape. @tparam Traits those of all small queues, with a group of one thread; cache, 2 to 16;
/// pass_from
template <class Traits, class Counters>
class small_ring_cached : public small_ring_base<small_ring_cached<Traits, Counters>, Traits, Counters> {
  using base = small_ring_base<small_ring_cached<Traits, Counters>, Traits, Counters>;
  using base::size_, base::capacity_, base::head_, base::least_;
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

  SIMT_DEVICE void settle() { merge_cache(); }
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
    // Places behind the waiting elements are `none`, which every element is before. Without exits from the loop the
    // cache stays in registers.
    u32 compared = 0;
    for (u32 i = 0; i < cache; ++i) {
      const bool is_before = e < cached_[i];
      const element other = cached_[i];
      cached_[i] = is_before ? e : other;
      if (is_before) e = other;
      if (!is_before) ++compared;
    }
    base::count_comparisons(compared < waiting_ ? compared + 1 : waiting_);
    ++waiting_;
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

  SIMT_DEVICE void merge_cache() {
    if (waiting_ == 0) return;
    if constexpr (Traits::pass_from != 0) {
      if (size_ < Traits::pass_from) {
        insert_from_back();
        return;
      }
    }
    pass_over_buffer();
  }

  /// Inserts the waiting elements one after the other, the largest first, which the others then do not pass.
  SIMT_DEVICE void insert_from_back() {
    u32 bound = size_;
    for (u32 i = cache; i-- > 0;) {
      if (i >= waiting_) continue;
      for (; bound != 0; --bound) {
        const element other = base::load_rank(bound - 1);
        base::count_comparisons(1);
        if (!(cached_[i] < other)) break;
        base::store_rank(bound + i, other);
      }
      base::store_rank(bound + i, cached_[i]);
    }
    size_ += waiting_;
    clear_cache();
    base::find_least();
  }

  /// Moves the elements in front of the waiting ones to the front, and puts these between them.
  SIMT_DEVICE void pass_over_buffer() {
    const u32 merged = size_ + waiting_;
    u32 rank = 0;
    // Without branches all threads of a warp take each step together, however many elements wait for each.
    for (u32 place = 0; rank + waiting_ != place; ++place) {
      // Behind the last element `next` is `none`, which is before no element.
      const element next = rank != size_ ? base::load_rank(rank) : none;
      base::count_comparisons(rank != size_ ? 1 : 0);
      const bool is_kept = next < cached_[0];
      base::store_rank(place - waiting_, is_kept ? next : cached_[0]);
      for (u32 i = 0; i + 1 < cache; ++i) cached_[i] = is_kept ? cached_[i] : cached_[i + 1];
      rank += is_kept ? 1 : 0;
    }
    head_ = (head_ - waiting_) & (capacity_ - 1);
    size_ = merged;
    clear_cache();
    base::find_least();
  }

  element cached_[cache];
  u32 waiting_ = 0;
};

}  // namespace mlmq
