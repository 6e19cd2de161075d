// SPDX-License-Identifier: Apache-2.0
// Small queue: two levels. The least elements are a short sorted run in registers or shared memory; all others are in a
// second level in global memory, and none of them is below `bound`. Insertion puts elements below the bound into the
// run; other elements, and those that the run pushes out, go to the second level. Removal takes from the run; an empty
// run is filled from the second level.
//
// With an unsorted pile as the second level (run of r elements, n in all, L lanes):
//   insertion  no load; at most one store; about 10 instructions by a group of lanes, about 7 r by one thread with
//              registers
//   insertion of many by a group: those for the second level in one store, the others one after the other
//   removal    no memory access from the run; every r removals the pile is read once, n / L elements per lane in
//              independent loads of four at a time, and r (1 + ln(n / r)) of them change places: for 128 elements, 8
//              lanes and a run of 8, one removal in 8 takes 16 loads per lane, that is, 8 elements or two sectors of 32
//              bytes per removal
// These are the fewest dependent accesses of all queues here. It suits short piles, up to about 1,000 elements. With a
// heap as the second level a refill removes half a run from it: for queues of thousands.
#pragma once

#include "queues/small/run.cuh"
#include "queues/small/second_level.cuh"
#include "queues/small/small_queue.cuh"

namespace mlmq {

/// Memory: small_two_level_shape. State: that of the second level, then the elements of the run, which are stored
/// behind the second level's places between two constructions.
/// @tparam Traits those of all small queues; run_class<Traits>, a class of run.cuh; second<Traits, Counters>, a class
///   of second_level.cuh
template <class Traits, class Counters>
class small_two_level : public small_queue<small_two_level<Traits, Counters>, Traits, Counters> {
  using base = small_queue<small_two_level<Traits, Counters>, Traits, Counters>;
  using base::group_, base::size_, base::capacity_, base::lanes;
  using run = typename Traits::template run_class<Traits>;
  using second = typename Traits::template second<Traits, Counters>;
  static_assert(lanes <= simt::warp_size);

 public:
  using element = typename base::element;
  using group = typename base::group;
  using base::none;

  static constexpr small_queue_shape shape(u32 capacity) {
    return small_two_level_shape(second::shape(capacity), run::scratch_elements * static_cast<u32>(sizeof(element)));
  }

  SIMT_DEVICE small_two_level(const small_queue_storage<element>& storage, u32 queue, group owner, void* scratch,
                              Counters& counters)
      : base(storage, queue, owner, counters),
        run_(owner, static_cast<element*>(scratch)),
        second_(storage, queue, owner, counters) {
    const u32 saved = second_.first_free_place(capacity_);
    const u32 in_run = base::load_state(second::state_words);
    element last = none;
    for (u32 i = 0; group_.any_in_step(i < in_run); ++i) {
      const bool has_element = i < in_run;
      const element e = has_element ? base::load_place(saved + i) : none;
      if (has_element) last = e;
      run_.insert(e, has_element);
    }
    run_size_ = in_run;
    size_ = in_run + second_.size();
    if (second_.size() != 0) bound_ = last;
    group_.sync();
  }

  SIMT_DEVICE void save() {
    const u32 saved = second_.first_free_place(capacity_);
    second_.save();
    base::store_state(second::state_words, run_size_);
    const u32 in_run = run_size_;
    for (u32 i = 0; group_.any_in_step(i < in_run); ++i) {
      const element e = run_.first();
      if (i < in_run && group_.rank() == 0) base::store_place(saved + i, e);
      run_.remove_first(i < in_run);
    }
    group_.sync();
  }

  SIMT_DEVICE void clear() {
    run_.clear();
    second_.clear();
    size_ = run_size_ = 0;
    bound_ = none;
  }

  SIMT_DEVICE element least() const { return run_.first(); }

  SIMT_DEVICE bool insert(element e, bool enabled = true) {
    const bool fits = size_ < capacity_;
    const bool has_element = enabled && fits;
    const bool into_run = has_element && e < bound_;
    base::count_comparisons(has_element && group_.rank() == 0 ? 1 : 0);
    const bool was_full = run_size_ == run::capacity;
    const element pushed_out = run_.insert(e, into_run);
    if (into_run) {
      if (was_full)
        bound_ = pushed_out;
      else
        ++run_size_;
    }
    second_.insert(into_run ? pushed_out : e, has_element && (!into_run || was_full));
    if (has_element) ++size_;
    return fits || !enabled;
  }

  /// Appends elements that are not below the bound at once. Returns false if they do not all fit; then it inserts none.
  SIMT_DEVICE bool insert_many(element e, bool has_element) {
    if constexpr (lanes == 1) {
      return insert(e, has_element);
    } else {
      const bool fits = simt::popcount(group_.ballot(has_element)) <= capacity_ - size_;
      const bool into_run = fits && has_element && e < bound_;
      const bool appended = fits && has_element && !into_run;
      base::count_comparisons(has_element ? 1 : 0);
      size_ += second_.append(e, appended);
      u32 pending_ranks = group_.ballot(into_run);
      while (group_.any_in_step(pending_ranks != 0)) {
        const u32 owner = pending_ranks != 0 ? simt::first_set(pending_ranks) : 0;
        insert(group_.shuffle(e, owner), pending_ranks != 0);
        pending_ranks &= pending_ranks - 1;
      }
      return fits;
    }
  }

  SIMT_DEVICE element remove_least(bool enabled = true) {
    const bool has_element = enabled && size_ != 0;
    const element first = run_.first();
    const element removed = has_element ? first : none;
    run_.remove_first(has_element);
    if (has_element) {
      --size_;
      --run_size_;
    }
    refill(has_element && run_size_ == 0 && size_ != 0);
    return removed;
  }

  SIMT_DEVICE element remove_many(u32 count) {
    if constexpr (!run::removes_many) {
      return base::remove_many(count);
    } else {
      u32 remaining = count < size_ ? count : size_;
      u32 done = 0;
      element removed = none;
      while (group_.any_in_step(remaining != 0)) {
        const u32 taken = remaining < run_size_ ? remaining : run_size_;
        const element e = run_.remove_first_many(taken, done);
        if (group_.rank() >= done && group_.rank() < done + taken) removed = e;
        done += taken;
        remaining -= taken;
        run_size_ -= taken;
        size_ -= taken;
        refill(taken != 0 && run_size_ == 0 && size_ != 0);
      }
      return removed;
    }
  }

 private:
  SIMT_DEVICE void refill(bool enabled) {
    if (!group_.any_in_step(enabled)) return;
    const u32 moved = second_.fill(run_, enabled);
    if (!enabled) return;
    run_size_ = moved;
    bound_ = second_.size() != 0 ? second_.bound() : none;
  }

  run run_;
  second second_;
  element bound_ = none;  ///< lower bound of all elements in the second level
  u32 run_size_ = 0;
};

}  // namespace mlmq
