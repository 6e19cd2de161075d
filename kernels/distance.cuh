// SPDX-License-Identifier: Apache-2.0
// Distances as 32-bit patterns that order like the numbers: integers, or non-negative floats.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

struct integer_distance {
  /// Saturates one below `unreached`: a sum never wraps and never looks like an unreached vertex.
  SIMT_DEVICE static u32 extend(u32 distance, u32 weight) {
    const u32 sum = distance + weight;
    return sum < distance || sum > 0xFFFFFFFEu ? 0xFFFFFFFEu : sum;
  }
  SIMT_DEVICE static float to_float(u32 distance) { return static_cast<float>(distance); }
};

struct float_distance {
  SIMT_DEVICE static u32 extend(u32 distance, u32 weight) {
    return simt::as_bits(simt::as_float(distance) + simt::as_float(weight));
  }
  SIMT_DEVICE static float to_float(u32 distance) { return simt::as_float(distance); }
};

}  // namespace mlmq
