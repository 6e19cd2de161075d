// SPDX-License-Identifier: Apache-2.0
// Sorting and merging 32 words, one in each lane, with shuffles (bitonic networks). Ascending; warp collectives.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

/// One step of a network: the lanes whose numbers differ in `distance` exchange so that `low_first` holds.
template <class T>
SIMT_DEVICE T compare_exchange_lanes(T value, u32 distance, bool ascending) {
  const T other = simt::shuffle(value, simt::lane() ^ distance);
  const bool is_lower = (simt::lane() & distance) == 0;
  const bool keep_smaller = is_lower == ascending;
  return (value < other) == keep_smaller ? value : other;
}

/// Sorts a bitonic sequence.
template <class T>
SIMT_DEVICE T sort_bitonic(T value) {
  for (u32 distance = simt::warp_size / 2; distance != 0; distance /= 2) {
    value = compare_exchange_lanes(value, distance, true);
  }
  return value;
}

template <class T>
SIMT_DEVICE T sort_lanes(T value) {
  for (u32 run = 2; run <= simt::warp_size; run *= 2) {
    for (u32 distance = run / 2; distance != 0; distance /= 2) {
      value = compare_exchange_lanes(value, distance, (simt::lane() & run) == 0);
    }
  }
  return value;
}

/// Merges two sorted sequences: `low` becomes the 32 smallest of both, `high` the others, each sorted.
template <class T>
SIMT_DEVICE void merge_lanes(T& low, T& high) {
  const T reversed = simt::shuffle(high, simt::warp_size - 1 - simt::lane());
  const T smaller = low < reversed ? low : reversed;
  const T larger = low < reversed ? reversed : low;
  low = sort_bitonic(smaller);
  high = sort_bitonic(larger);
}

}  // namespace mlmq
