// SPDX-License-Identifier: Apache-2.0
// L1 vector: a first-in first-out queue of one warp in shared memory, flushed to L2 after every `wb` writes
// (MLMQ, section 3.4, L1V).
//
// Only its warp touches it: head and size are equal on all lanes and live in registers, no atomics.
#pragma once

#include "queues/element.cuh"
#include "sssp_abi.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class l1_vector {
 public:
  static constexpr u32 capacity = Configuration::l1_capacity;
  static_assert((capacity & (capacity - 1)) == 0 && capacity >= simt::warp_size,
                "l1_capacity is a power of two, at least 32");

  /// @param storage `capacity` words of shared memory of this warp
  SIMT_DEVICE l1_vector(u64* storage, Counters& counters) : storage_(storage), counters_(counters) {}

  /// Warp collective: up to 32 elements, oldest first. @return false when there is none
  SIMT_DEVICE bool read(element& e, bool& valid) {
    if (size_ == 0) return false;
    valid = take_oldest(e);
    if (valid) counters_.add(counter::l1_reads, 1);
    return true;
  }

  /// Warp collective: appends the element of every lane with `valid`; what does not fit goes to `lower`, oldest first.
  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    const u32 writers = simt::ballot(valid);
    if (writers == 0) return;
    const u32 count = simt::popcount(writers);
    if (size_ + count > capacity) spill(lower);
    if (valid) {
      const u32 place = head_ + size_ + simt::popcount(writers & simt::lanes_below());
      simt::store(storage_ + place % capacity, e);
      counters_.add(counter::l1_writes, 1);
    }
    size_ += count;
    simt::sync_warp();
    if constexpr (Configuration::wb != 0) {
      if (++writes_since_flush_ == Configuration::wb) {
        writes_since_flush_ = 0;
        spill(lower);
      }
    }
  }

 private:
  SIMT_DEVICE bool take_oldest(element& e) {
    const u32 count = size_ < simt::warp_size ? size_ : simt::warp_size;
    const bool valid = simt::lane() < count;
    if (valid) e = simt::load(storage_ + (head_ + simt::lane()) % capacity);
    head_ += count;
    size_ -= count;
    // The places may be written again by other lanes.
    simt::sync_warp();
    return valid;
  }

  template <class Lower>
  SIMT_DEVICE void spill(Lower& lower) {
    while (size_ != 0) {
      element e = 0;
      const bool valid = take_oldest(e);
      if (valid) counters_.add(counter::l1_spills, 1);
      lower.write(e, valid);
    }
  }

  u64* storage_;
  Counters& counters_;
  u32 head_ = 0;
  u32 size_ = 0;
  u32 writes_since_flush_ = 0;
};

}  // namespace mlmq
