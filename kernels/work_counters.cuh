// SPDX-License-Identifier: Apache-2.0
// Work counts of one lane, in registers. In variants without counters every call is empty. Their constructor
// takes the memory that the host provides for results; a timeline writes to it during the run, counters at the end.
#pragma once

#include "queues/counters.cuh"
#include "search_abi.cuh"
#include "simt/simt.cuh"

namespace mlmq {

/// Returns the counter of a search that a counter of its queues is added to.
constexpr counter counter_of(queue_counter kind) {
  switch (kind) {
    case queue_counter::deferred:
      return counter::resplits;
    case queue_counter::l0_writes:
      return counter::l0_writes;
    case queue_counter::l0_reads:
      return counter::l0_reads;
    case queue_counter::l1_writes:
      return counter::l1_writes;
    case queue_counter::l1_reads:
      return counter::l1_reads;
    case queue_counter::l1_spills:
      return counter::l1_spills;
    case queue_counter::l2_writes:
      return counter::l2_writes;
    case queue_counter::l2_reads:
      return counter::l2_reads;
    case queue_counter::l2_claims:
      return counter::l2_claims;
    case queue_counter::atomics:
      return counter::queue_atomics;
    case queue_counter::delta_changes:
      return counter::delta_changes;
    case queue_counter::polls:
      break;
  }
  return counter::polls;
}

template <bool enabled>
class work_counters;

template <>
class work_counters<false> {
 public:
  SIMT_DEVICE explicit work_counters(u64* = nullptr) {}
  SIMT_DEVICE void add(counter, u32) {}
  SIMT_DEVICE void add(queue_counter, u32) {}
  SIMT_DEVICE void set_parallelism(u32) {}
  SIMT_DEVICE void set_parallelism_by_lane(u32) {}
  SIMT_DEVICE void flush(u64*) {}
};

template <>
class work_counters<true> {
 public:
  SIMT_DEVICE explicit work_counters(u64* = nullptr) {}
  SIMT_DEVICE void add(counter kind, u32 amount) { counts_[static_cast<u32>(kind)] += amount; }

  SIMT_DEVICE void add(queue_counter kind, u32 amount) { add(counter_of(kind), amount); }

  SIMT_DEVICE void set_parallelism(u32) {}
  SIMT_DEVICE void set_parallelism_by_lane(u32) {}

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
