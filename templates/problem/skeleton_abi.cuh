// SPDX-License-Identifier: Apache-2.0
// Interface between the host and the kernel skeleton.
#pragma once

#include "simt/types.cuh"

struct skeleton_arguments {
  const u64* offsets;  ///< one more than vertices
  u64 vertices;
  u64 degree;
  u64* result;  ///< 0 before the launch
};
