// SPDX-License-Identifier: Apache-2.0
// Sorting and merging 32 words, one in each lane, with shuffles (bitonic networks). Ascending; warp collectives.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

/// One step of a network: the lanes whose numbers differ in `distance` exchange so that `low_first` holds.
SIMT_DEVICE u64 compare_exchange_lanes(u64 value, u32 distance, bool ascending) {
  const u64 other = simt::shuffle(value, simt::lane() ^ distance);
  const bool is_lower = (simt::lane() & distance) == 0;
  const bool keep_smaller = is_lower == ascending;
  return (value < other) == keep_smaller ? value : other;
}

/// A bitonic sequence becomes sorted.
SIMT_DEVICE u64 sort_bitonic(u64 value) {
  for (u32 distance = simt::warp_size / 2; distance != 0; distance /= 2) {
    value = compare_exchange_lanes(value, distance, true);
  }
  return value;
}

SIMT_DEVICE u64 sort_lanes(u64 value) {
  for (u32 run = 2; run <= simt::warp_size; run *= 2) {
    for (u32 distance = run / 2; distance != 0; distance /= 2) {
      value = compare_exchange_lanes(value, distance, (simt::lane() & run) == 0);
    }
  }
  return value;
}

/// Two sorted sequences: `low` becomes the 32 smallest of both, `high` the others, each sorted.
SIMT_DEVICE void merge_lanes(u64& low, u64& high) {
  const u64 reversed = simt::shuffle(high, simt::warp_size - 1 - simt::lane());
  const u64 smaller = low < reversed ? low : reversed;
  const u64 larger = low < reversed ? reversed : low;
  low = sort_bitonic(smaller);
  high = sort_bitonic(larger);
}

}  // namespace mlmq
