// SPDX-License-Identifier: Apache-2.0
// Work counts of one lane, in registers. In variants without counters every call is empty. They are made with the memory
// that the host has provided for what is recorded, which a timeline needs at once and counters at the end.
#pragma once

#include "search_abi.cuh"
#include "simt/simt.cuh"

namespace mlmq {

template <bool enabled>
class work_counters;

template <>
class work_counters<false> {
 public:
  SIMT_DEVICE explicit work_counters(u64* = nullptr) {}
  SIMT_DEVICE void add(counter, u32) {}
  SIMT_DEVICE void flush(u64*) {}
};

template <>
class work_counters<true> {
 public:
  SIMT_DEVICE explicit work_counters(u64* = nullptr) {}
  SIMT_DEVICE void add(counter which, u32 amount) { counts_[static_cast<u32>(which)] += amount; }

  /// Adds this lane's counts to the global sums.
  SIMT_DEVICE void flush(u64* sums) {
    for (u32 i = 0; i < counter_count; ++i) {
      if (counts_[i] != 0) {
        simt::reduce_add<simt::order::relaxed, simt::scope::device>(sums + i, static_cast<u64>(counts_[i]));
      }
    }
  }

 private:
  u32 counts_[counter_count] = {};
};

}  // namespace mlmq
