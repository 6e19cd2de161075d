// SPDX-License-Identifier: Apache-2.0
// Checks of weights in a caller's device memory, and their sums and minima over a warp.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

/// Larger than the number of any row or edge.
inline constexpr u64 no_fault = ~0ull;
/// Largest integer weight that is an exact distance of one edge.
inline constexpr u32 largest_weight = 0xFFFFFFFDu;
/// Bits of infinity: these and larger bit patterns are not finite non-negative numbers.
inline constexpr u32 first_bad_float = 0x7F800000u;
inline constexpr u32 negative_zero = 0x80000000u;

SIMT_DEVICE bool is_invalid_weight(u32 bits, bool is_float) {
  return is_float ? bits >= first_bad_float : bits > largest_weight;
}

/// Sums weights of a lane, then of its warp.
class weight_sum {
 public:
  SIMT_DEVICE void add(u32 bits, bool is_float) {
    if (is_float) {
      of_floats_ += static_cast<double>(simt::as_float(bits));
    } else {
      of_integers_ += bits;
    }
  }

  /// Warp collective: stores the sum of all lanes, or the bits of a double. The host sums these in order, so that the
  /// same device gives the same sum.
  /// @param slots one word per warp of the grid @param thread number of this thread in the grid
  SIMT_DEVICE void store(u64* slots, u64 thread, bool is_float) const {
    u64* const slot = slots + thread / simt::warp_size;
    if (is_float) {
      const double sum = of_warp(of_floats_);
      if (simt::lane() == 0) simt::store(reinterpret_cast<double*>(slot), sum);
    } else {
      const u64 sum = of_warp(of_integers_);
      if (simt::lane() == 0) simt::store(slot, sum);
    }
  }

 private:
  template <class T>
  SIMT_DEVICE static T of_warp(T value) {
    for (u32 distance = simt::warp_size / 2; distance > 0; distance /= 2)
      value += simt::shuffle(value, (simt::lane() + distance) % simt::warp_size);
    return value;
  }

  u64 of_integers_ = 0;
  double of_floats_ = 0;
};

/// Warp collective: lowers a word to the smallest number of any lane.
SIMT_DEVICE void lower_by_warp(u64* word, u64 smallest) {
  for (u32 distance = simt::warp_size / 2; distance > 0; distance /= 2) {
    const u64 other = simt::shuffle(smallest, (simt::lane() + distance) % simt::warp_size);
    if (other < smallest) smallest = other;
  }
  if (simt::lane() == 0 && smallest != no_fault)
    (void)simt::atomic_min<simt::order::relaxed, simt::scope::device>(word, smallest);
}

}  // namespace mlmq
