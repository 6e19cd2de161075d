// SPDX-License-Identifier: Apache-2.0
// Interface between the host and the kernel vector_sum.
#pragma once

#include "simt/types.cuh"

struct vector_sum_arguments {
  const u32* numbers;
  u64 begin;
  u64 end;    ///< one past the last number
  u64* sum;   ///< the sum; 0 before the launch
  u64* adds;  ///< number of additions to the sum, in variants that count; 0 before the launch
};
