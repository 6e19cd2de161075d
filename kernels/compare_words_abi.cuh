// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel compare_words.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

struct comparison_arguments {
  const u32* one;
  const u32* other;
  u32* differ;  ///< set to 1 if any word differs; 0 before
  u64 words;
};

}  // namespace mlmq
