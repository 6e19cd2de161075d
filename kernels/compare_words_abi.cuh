// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the kernel compare_words.
#pragma once

#include "simt/types.cuh"

namespace mlmq {

struct comparison_arguments {
  const u32* first;
  const u32* second;
  u32* differs;  ///< set to 1 if any word differs; 0 at the start
  u64 words;
};

}  // namespace mlmq
