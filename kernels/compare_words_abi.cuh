// SPDX-License-Identifier: Apache-2.0
// What the host and the kernel compare_words agree on.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

struct comparison_arguments {
  const u32* one;
  const u32* other;
  u32* differ;  ///< becomes 1 when any word differs; 0 before
  u64 words;
};

}  // namespace mlmq
