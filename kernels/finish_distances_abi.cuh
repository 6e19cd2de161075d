// SPDX-License-Identifier: Apache-2.0
// What the host and the kernels finish_distances and finish_wide_distances agree on.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

struct finish_arguments {
  u32* words;  ///< distances of a search
  u64 count;
  u32* found;  ///< becomes 1 when any word is `sought`; 0 before
  u32 sought;
  u32 unreached;  ///< what is written where a search wrote all ones; all ones: nothing is
};

/// Arguments for 8-byte distances.
struct finish_wide_arguments {
  u64* words;
  u64 count;
  u32* found;
  u64 sought;
  u64 unreached;
};

}  // namespace mlmq
