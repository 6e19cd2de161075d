// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernels finish_distances, finish_wide_distances and decimal_distances.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

struct finish_arguments {
  u32* words;  ///< distances of a search
  u64 count;
  u32* saturated_flag;  ///< set to 1 if any word is `saturated`; 0 at the start
  u32 saturated;        ///< stands for distances that are too large
  u32 unreached;        ///< value that replaces all ones; all ones: no replacement
};

/// Arguments for 8-byte distances.
struct finish_wide_arguments {
  u64* words;
  u64 count;
  u32* saturated_flag;
  u64 saturated;
  u64 unreached;
};

struct decimal_arguments {
  const u32* words;  ///< distances of a search
  double* numbers;   ///< receives them, divided by `units`
  u64 count;
  double units;
  double unreached;  ///< value of vertices that no path reaches
};

}  // namespace mlmq
