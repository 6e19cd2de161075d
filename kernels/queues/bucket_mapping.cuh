// SPDX-License-Identifier: Apache-2.0
// Maps keys to buckets while Δ changes: two linear pieces that meet at the key from which the newest Δ applies.
//
// Buckets keep their numbers, and the rings keep their elements. A narrower Δ applies from the window on: elements that
// already wait are then in a ring that opens too early, and a worker that takes such an element files it again. A wider
// Δ applies only above the rings that hold elements; the buckets below keep their widths. If they widened at once,
// elements would be in rings that open too late, behind others with larger keys, and the work that follows from those
// would be wasted.
//
// A mapping is one word, so that no reader sees half of a change. Four bits of the window's word identify its mapping:
// a dispatcher loads the mapping only when they have changed.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

struct bucket_mapping {
  float base;   ///< the key where bucket `first` begins, from 0 on
  u32 first;    ///< below first_limit
  int below;    ///< a bucket below `first` is 2^below times as wide as at the start of the run; narrowest to widest
  int above;    ///< the same for `first` and all buckets above it
  u32 version;  ///< 0 at the start; incremented, modulo 16, by each change

  static constexpr int narrowest = -3;
  static constexpr int widest = 3;
  /// Δ changes only while the window is below this.
  static constexpr u32 first_limit = 1u << 20;
  /// Keys from this many buckets above `first` share a bucket, so that numbers of buckets have at most window_bits.
  static constexpr float largest_offset = 134217728.0f;
  static constexpr u32 window_bits = 28;

  /// @param first the lowest bucket that a key can have
  SIMT_DEVICE static bucket_mapping at_start(u32 first) { return {0, first, 0, 0, 0}; }

  SIMT_DEVICE u64 to_word() const {
    const u32 numbers =
        first << 12 | version << 8 | static_cast<u32>(below + code_of_0) << 4 | static_cast<u32>(above + code_of_0);
    return static_cast<u64>(numbers) << 32 | simt::as_bits(base);
  }

  SIMT_DEVICE static bucket_mapping from_word(u64 word) {
    const u32 numbers = static_cast<u32>(word >> 32);
    return {simt::as_float(static_cast<u32>(word)), numbers >> 12, static_cast<int>(numbers >> 4 & 15) - code_of_0,
            static_cast<int>(numbers & 15) - code_of_0, numbers >> 8 & 15};
  }

  /// Returns the published word of a window under this mapping.
  SIMT_DEVICE u32 window_word(u32 window) const { return version << window_bits | window; }
  SIMT_DEVICE static u32 window_in(u32 window_word) { return window_word & ((1u << window_bits) - 1); }
  SIMT_DEVICE static u32 version_in(u32 window_word) { return window_word >> window_bits; }

  /// Returns the bucket of a key, which is below 2^window_bits and never decreases as the key increases. It has no
  /// branches, because every access to L2 calls it.
  /// @param buckets_per_key at the start of the run
  SIMT_DEVICE static u32 bucket_of(u64 mapping_word, float key, float buckets_per_key) {
    const u32 numbers = static_cast<u32>(mapping_word >> 32);
    const float past = key - simt::as_float(static_cast<u32>(mapping_word));
    const u32 code = (past < 0 ? numbers >> 4 : numbers) & 15;
    const float offset = past * (buckets_per_key * simt::as_float((127 + code_of_0 - code) << 23));
    const float no_longer = offset < largest_offset ? offset : largest_offset;
    const float in_range = no_longer > -largest_offset ? no_longer : -largest_offset;
    const int whole = static_cast<int>(in_range);
    const int steps = whole - (static_cast<float>(whole) > in_range ? 1 : 0);
    const int bucket = static_cast<int>(numbers >> 12) + steps;
    return static_cast<u32>(bucket > 0 ? bucket : 0);
  }

  /// Returns the key where a bucket begins. @param bucket not below the window when the mapping came into use
  SIMT_DEVICE float key_of(u32 bucket, float buckets_per_key) const {
    const float offset = static_cast<float>(bucket) - static_cast<float>(first);
    const u32 code = static_cast<u32>((bucket < first ? below : above) + 127);
    const float key = base + offset * simt::as_float(code << 23) / buckets_per_key;
    return key > 0 ? key : 0;
  }

  /// Returns this mapping with another width of the buckets from `bucket` on.
  SIMT_DEVICE bucket_mapping changed_from(u32 bucket, int exponent, float buckets_per_key) const {
    return {key_of(bucket, buckets_per_key), bucket, above, exponent, (version + 1) % 16};
  }

 private:
  static constexpr int code_of_0 = 8;
};

}  // namespace mlmq
