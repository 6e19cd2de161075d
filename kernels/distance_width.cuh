// SPDX-License-Identifier: Apache-2.0
// Distances of 4 and 8 bytes, for kernels that support both.
//
// An element has room for 32 bits of a distance: its key. The key of a 4-byte distance is the distance itself. The key
// of a double is the upper half of its bits; keys order like the numbers, but different numbers may have equal keys.
// The reader of such an element loads the vertex's distance, which the writer has lowered before, so a barrier must
// separate writing from reading. Two elements of a vertex may have the same key. Both then count as current and the
// vertex is expanded twice, which is correct and rare.
#pragma once

#include "distance.cuh"
#include "edges.cuh"
#include "search_abi.cuh"
#include "simt/wide.cuh"

namespace mlmq {

/// Non-negative doubles as their bits. distance_width explains keys.
struct double_distance {
  SIMT_DEVICE static u64 extend(u64 distance, u64 weight) {
    return simt::as_wide_bits(simt::as_double(distance) + simt::as_double(weight));
  }
  /// Overload for keys.
  SIMT_DEVICE static u32 extend(u32 key, u32 weight) {
    return static_cast<u32>(extend(static_cast<u64>(key) << 32, static_cast<u64>(weight) << 32) >> 32);
  }
};

/// Edges with weights of 8 bytes. The target is in the first word.
struct wide_edges {
  using word = simt::wide_pair;
  SIMT_DEVICE static u32 target(word edge) { return static_cast<u32>(edge.x); }
  SIMT_DEVICE static u64 weight(word edge) { return edge.y; }
};

/// Representation of distances, and the relation of a key to a distance.
template <class Distance>
struct distance_width {
  using word = u32;
  using rows = row_entry;
  /// Whether a key is the whole distance.
  static constexpr bool has_exact_keys = true;
  static constexpr word none = unreached;

  SIMT_DEVICE static u32 key_of(word distance) { return distance; }
  /// Returns the distance of an element, as precisely as its key determines it.
  SIMT_DEVICE static word from_key(u32 key) { return key; }
  /// Returns whether a vertex has come nearer since an element with this key was written.
  SIMT_DEVICE static bool is_outdated(word current, u32 key) { return current < key; }
  /// Returns the distance from which to expand the vertex of a current element. @param from_element result of
  /// from_key()
  SIMT_DEVICE static word reached(word from_element, word /*current*/) { return from_element; }
};

template <>
struct distance_width<double_distance> {
  using word = u64;
  /// Counterpart of row_entry for 8-byte distances.
  struct rows {
    u64 edge_base;
    u64 distance;
  };
  static constexpr bool has_exact_keys = false;
  static constexpr word none = ~0ull;

  SIMT_DEVICE static u32 key_of(word distance) { return static_cast<u32>(distance >> 32); }
  SIMT_DEVICE static word from_key(u32 /*key*/) { return 0; }
  SIMT_DEVICE static bool is_outdated(word current, u32 key) { return key_of(current) < key; }
  SIMT_DEVICE static word reached(word /*from_element*/, word current) { return current; }
};

}  // namespace mlmq
