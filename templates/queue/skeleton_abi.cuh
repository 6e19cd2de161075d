// SPDX-License-Identifier: Apache-2.0
// Interface between the host and the kernel skeleton.
#pragma once

#include "simt/types.cuh"

struct skeleton_arguments {
  u32* taken;  ///< for each vertex, how often it came out of a queue; 0 before the launch
  u32 vertices;
};
