// SPDX-License-Identifier: Apache-2.0
// What the host and the kernel vector_sum agree on.
#pragma once

#include "simt/types.cuh"

struct vector_sum_arguments {
  const u32* numbers;
  u64 begin;
  u64 end;    ///< after the last
  u64* sum;   ///< 0 before
  u64* adds;  ///< additions to the sum, by variants that count; 0 before
};
