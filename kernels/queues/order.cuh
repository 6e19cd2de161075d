// SPDX-License-Identifier: Apache-2.0
// Orders: how queues interpret their elements. An element is one word, so that it is stored and loaded whole; its key
// is 32 bits that order like numbers, the least first. An order is a class with
//
//   element                     u32 or u64, never all ones
//   key_of(element)             its key
//   extend(key, weight)         a key that is `weight` larger, never smaller than `key`: how thresholds are raised
//   to_float(key)               the number that a key stands for: how buckets are numbered
//   least_word_first            whether elements order as words like their keys, which heaps need
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

/// A key larger than that of any element.
inline constexpr u32 no_key = 0xFFFFFFFFu;

/// Integer keys. Sums saturate one below `no_key`: they never wrap and never equal it.
struct integer_key {
  SIMT_DEVICE static u32 extend(u32 key, u32 weight) {
    const u32 sum = key + weight;
    return sum < key || sum > 0xFFFFFFFEu ? 0xFFFFFFFEu : sum;
  }
  SIMT_DEVICE static float to_float(u32 key) { return static_cast<float>(key); }
};

/// Keys that are the bits of non-negative floats.
struct float_key {
  SIMT_DEVICE static u32 extend(u32 key, u32 weight) {
    return simt::as_bits(simt::as_float(key) + simt::as_float(weight));
  }
  SIMT_DEVICE static float to_float(u32 key) { return simt::as_float(key); }
};

/// Elements of 64 bits with a key in the upper half and any item in the lower half.
template <class Key>
struct key_above_item : Key {
  using element = u64;
  static constexpr bool least_word_first = true;
  SIMT_DEVICE static element make(u32 item, u32 key) { return static_cast<u64>(key) << 32 | item; }
  SIMT_DEVICE static u32 item_of(element e) { return static_cast<u32>(e); }
  SIMT_DEVICE static u32 key_of(element e) { return static_cast<u32>(e >> 32); }
};

/// Elements of 32 bits without a key: queues that use an order treat all of them as equal.
struct unordered_items : integer_key {
  using element = u32;
  static constexpr bool least_word_first = false;
  SIMT_DEVICE static u32 key_of(element) { return 0; }
};

}  // namespace mlmq
