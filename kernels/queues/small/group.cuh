// SPDX-License-Identifier: Apache-2.0
// Owners of a small queue: a group of lanes that call its functions together.
//
//   thread_group     one thread; threads of a warp may diverge between and inside calls
//   lane_group<L>    L neighbouring lanes of a warp, 2 to 32. The groups of a warp run in step: all 32 lanes of the
//                    warp call every function together, and a flag says which groups take part. A shuffle of a whole
//                    warp costs one instruction; one of a part of it, which divergent groups would need, a call.
//   block_group<T>   the T threads of a block, which call every function together
#pragma once

#include "queues/small/storage.cuh"
#include "simt/simt.cuh"

namespace mlmq {

/// One thread.
class thread_group {
 public:
  static constexpr u32 size = 1;
  static constexpr u32 scratch_bytes = 0;
  SIMT_DEVICE explicit thread_group(void* /*scratch*/ = nullptr) {}

  /// Number of this group in the grid.
  SIMT_DEVICE static u32 index() { return simt::block_index() * simt::block_threads() + simt::thread_in_block(); }
  /// Number of this lane in its group.
  SIMT_DEVICE static u32 rank() { return 0; }
  /// Returns whether the condition holds in any group that runs in step with this one; for the condition of a loop.
  SIMT_DEVICE bool any_in_step(bool condition) const { return condition; }
  SIMT_DEVICE bool any(bool condition) const { return condition; }
  SIMT_DEVICE bool all(bool condition) const { return condition; }
  /// One bit for each rank.
  SIMT_DEVICE u32 ballot(bool condition) const { return condition ? 1 : 0; }
  /// Returns the value of the lane with a rank.
  template <class T>
  SIMT_DEVICE T shuffle(T value, u32 /*rank*/) const {
    return value;
  }
  /// Returns the least value of any lane.
  template <class T>
  SIMT_DEVICE T least(T value) const {
    return value;
  }
  /// Orders the memory accesses of the group's lanes.
  SIMT_DEVICE void sync() const {}
};

/// Returns the least value of all 32 lanes.
SIMT_DEVICE u32 least_of_warp(u32 value) { return simt::warp_min(value); }
SIMT_DEVICE u64 least_of_warp(u64 value) {
  const u32 high = static_cast<u32>(value >> 32);
  const u32 least_high = simt::warp_min(high);
  const u32 least_low = simt::warp_min(high == least_high ? static_cast<u32>(value) : ~0u);
  return static_cast<u64>(least_high) << 32 | least_low;
}

/// @tparam lanes a power of two from 2 to 32. The functions are those of thread_group.
template <u32 lanes>
class lane_group {
 public:
  static constexpr u32 size = lanes;
  static constexpr u32 scratch_bytes = 0;
  static_assert(lanes >= 2 && lanes <= simt::warp_size && (lanes & (lanes - 1)) == 0);
  SIMT_DEVICE explicit lane_group(void* /*scratch*/ = nullptr) {}

  SIMT_DEVICE static u32 index() {
    return (simt::block_index() * simt::block_threads() + simt::thread_in_block()) / lanes;
  }
  SIMT_DEVICE static u32 rank() { return simt::lane() % lanes; }
  SIMT_DEVICE bool any_in_step(bool condition) const { return simt::any(condition); }
  SIMT_DEVICE bool any(bool condition) const { return ballot(condition) != 0; }
  SIMT_DEVICE bool all(bool condition) const { return ballot(!condition) == 0; }
  SIMT_DEVICE u32 ballot(bool condition) const {
    const u32 warp_ballot = simt::ballot(condition);
    if constexpr (lanes == simt::warp_size) {
      return warp_ballot;
    } else {
      return warp_ballot >> first_lane() & ((1u << lanes) - 1);
    }
  }
  template <class T>
  SIMT_DEVICE T shuffle(T value, u32 rank) const {
    return simt::shuffle(value, first_lane() + rank);
  }
  template <class T>
  SIMT_DEVICE T least(T value) const {
    if constexpr (lanes == simt::warp_size) {
      return least_of_warp(value);
    } else {
      for (u32 distance = lanes / 2; distance != 0; distance /= 2) {
        const T other = simt::shuffle(value, simt::lane() ^ distance);
        if (other < value) value = other;
      }
      return value;
    }
  }
  SIMT_DEVICE void sync() const { simt::sync_warp(); }

 private:
  SIMT_DEVICE static u32 first_lane() { return simt::lane() & ~(lanes - 1); }
};

/// All threads of a block, in whole warps. The functions are those of thread_group except ballot. Each costs two
/// barriers.
template <u32 threads>
class block_group {
  static constexpr u32 warps = threads / simt::warp_size;

 public:
  static constexpr u32 size = threads;
  static constexpr u32 scratch_bytes = block_group_bytes(threads);
  static_assert(threads % simt::warp_size == 0 && threads <= 1024);
  /// @param scratch `scratch_bytes` of shared memory, aligned to 16
  SIMT_DEVICE explicit block_group(void* scratch) : words_(static_cast<u64*>(scratch)) {
    static_assert(threads == simt::block_threads(), "the group is the whole block");
  }

  SIMT_DEVICE static u32 index() { return simt::block_index(); }
  SIMT_DEVICE static u32 rank() { return simt::thread_in_block(); }
  SIMT_DEVICE bool any_in_step(bool condition) const { return any(condition); }
  SIMT_DEVICE bool any(bool condition) const { return least<u32>(condition ? 0 : 1) == 0; }
  SIMT_DEVICE bool all(bool condition) const { return !any(!condition); }
  template <class T>
  SIMT_DEVICE T shuffle(T value, u32 source_rank) const {
    if (rank() == source_rank) simt::store(words_, static_cast<u64>(value));
    simt::sync_block();
    const u64 shared_value = simt::load(words_);
    simt::sync_block();
    return static_cast<T>(shared_value);
  }
  template <class T>
  SIMT_DEVICE T least(T value) const {
    const T warp_least = least_of_warp(value);
    if (simt::lane() == 0) simt::store(words_ + simt::warp_in_block(), static_cast<u64>(warp_least));
    simt::sync_block();
    u64 shared_value = simt::load(words_);
    for (u32 warp = 1; warp < warps; ++warp) {
      const u64 other = simt::load(words_ + warp);
      if (other < shared_value) shared_value = other;
    }
    simt::sync_block();
    return static_cast<T>(shared_value);
  }
  SIMT_DEVICE void sync() const { simt::sync_block(); }

 private:
  u64* words_;
};

/// The group type for a number of lanes; the block if that is more than a warp.
template <u32 lanes>
struct group_of_lanes {
  using type = lane_group<lanes>;
};
template <>
struct group_of_lanes<1> {
  using type = thread_group;
};
template <u32 lanes>
requires(lanes > simt::warp_size) struct group_of_lanes<lanes> {
  using type = block_group<lanes>;
};

}  // namespace mlmq
