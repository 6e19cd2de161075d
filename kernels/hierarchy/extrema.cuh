// SPDX-License-Identifier: Apache-2.0
// Minima and maxima of words.
#pragma once

#include "simt/simt.cuh"

namespace mlmq::hierarchy {

SIMT_DEVICE u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

/// Raises a word to `candidate` if it is smaller. There is no atomic maximum.
SIMT_DEVICE void raise(u32* word, u32 candidate) {
  u32 largest = simt::load_atomic<simt::order::relaxed, simt::scope::device>(word);
  while (largest < candidate) {
    const u32 seen = simt::atomic_compare_exchange<simt::order::relaxed, simt::scope::device>(word, largest, candidate);
    if (seen == largest) return;
    largest = seen;
  }
}

}  // namespace mlmq::hierarchy
