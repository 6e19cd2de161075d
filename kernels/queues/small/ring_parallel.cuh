// SPDX-License-Identifier: Apache-2.0
// Small queue: a sorted circular buffer by a group of k lanes, or a block (the paper's CB-PAR, section 3.2, algorithm
// III-A). Insertion looks at k places at a time, from the back or from the front. The lane of a place loads its element
// and the one that may move there, and decides: move that, or put the new element there, or do nothing. A barrier
// separates the reads of a step from its writes.
//
// An insertion takes one dependent access for each k elements that it passes, and moves as many as CB-SEQ does; a
// removal reads one; several removals at once read together. Suited to up to a few hundred elements if there are too
// few queues to fill the device with one thread each.
#pragma once

#include "queues/small/ring.cuh"

namespace mlmq {

/// Memory: small_ring_shape. @tparam Traits those of all small queues; direction, from_back or from_front
template <class Traits, class Counters>
class small_ring_parallel : public small_ring_base<small_ring_parallel<Traits, Counters>, Traits, Counters> {
  using base = small_ring_base<small_ring_parallel<Traits, Counters>, Traits, Counters>;
  using base::group_, base::size_, base::capacity_, base::head_, base::least_, base::lanes;

 public:
  using element = typename base::element;
  using group = typename base::group;
  using base::none;

  SIMT_DEVICE small_ring_parallel(const small_queue_storage<element>& storage, u32 queue, group owner,
                                  void* /*scratch*/, Counters& counters)
      : base(storage, queue, owner, counters) {}

  SIMT_DEVICE void save() { base::save_ring(); }

  SIMT_DEVICE bool insert(element e, bool enabled = true) {
    const bool fits = size_ < capacity_;
    const bool is_active = enabled && fits;
    bool active = is_active;
    for (u32 done = 0; group_.any_in_step(active); done += lanes) {
      const u32 far = done + group_.rank();  // from the end where the search begins
      const step result = Traits::direction::is_back ? step_from_back(e, far, active) : step_from_front(e, far, active);
      group_.sync();
      if (result.writes) base::store_rank(result.place, result.value);
      if (group_.any(result.ends)) active = false;
    }
    group_.sync();
    if (is_active) {
      if (!Traits::direction::is_back) head_ = (head_ - 1) & (capacity_ - 1);
      ++size_;
      if (e < least_) least_ = e;
    }
    return fits || !enabled;
  }

  SIMT_DEVICE element remove_least(bool enabled = true) {
    const bool is_active = enabled && size_ != 0;
    const element removed = is_active ? least_ : none;
    if (is_active) {
      base::drop(1);
      base::find_least();
    }
    return removed;
  }

  SIMT_DEVICE element remove_many(u32 count) {
    const u32 most = count < size_ ? count : size_;
    element removed = none;
    if (group_.rank() < most) removed = base::load_rank(group_.rank());
    if (most != 0) {
      base::drop(most);
      base::find_least();
    }
    return removed;
  }

 private:
  struct step {
    bool writes;
    bool ends;
    u32 place;
    element value;
  };

  /// Decides about place `size - far`: loads its element and the one before it, which moves up if the new one belongs
  /// before that.
  SIMT_DEVICE step step_from_back(element e, u32 far, bool active) {
    if (!active || far > size_) return {false, false, 0, none};
    const u32 place = size_ - far;
    const bool fits_before_current = far == 0 || e < base::load_rank(place);
    base::count_comparisons(2);
    if (place == 0) return {fits_before_current, fits_before_current, place, e};
    const element previous = base::load_rank(place - 1);
    if (e < previous) return {true, false, place, previous};
    return {fits_before_current, fits_before_current, place, e};
  }

  /// Decides about place `far - 1`: loads its element and the one behind it, which moves down if the new one belongs
  /// behind that.
  SIMT_DEVICE step step_from_front(element e, u32 far, bool active) {
    if (!active || far > size_) return {false, false, 0, none};
    const u32 place = far - 1;
    const bool fits_behind_current = far == 0 || base::load_rank(place) < e;
    base::count_comparisons(2);
    if (far == size_) return {fits_behind_current, fits_behind_current, place, e};
    const element right = base::load_rank(far);
    if (right < e) return {true, false, place, right};
    return {fits_behind_current, fits_behind_current, place, e};
  }
};

}  // namespace mlmq
