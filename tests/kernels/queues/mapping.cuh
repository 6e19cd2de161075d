// SPDX-License-Identifier: Apache-2.0
// Interface between the host and the kernel `mapping`.
#pragma once

#include "simt/types.cuh"

namespace mlmq::tests {

struct mapping_arguments {
  const u32* first_buckets;  ///< for each change: the bucket where the new width begins
  const int* exponents;      ///< for each change: the exponent of the new width
  const float* keys;
  u32* buckets;   ///< key_count buckets at the start and after each change
  u64* words;     ///< word of the mapping at the start and after each change
  float* begins;  ///< key where the bucket `from` begins, after each change
  u32 changes;
  u32 key_count;
  u32 first;  ///< lowest bucket of a key
  float buckets_per_key;
};

}  // namespace mlmq::tests
