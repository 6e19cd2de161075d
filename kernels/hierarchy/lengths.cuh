// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the lengths of paths, as in graph/hierarchy/lengths.hpp.
#pragma once

#include "search_abi.cuh"
#include "simt/simt.cuh"

namespace mlmq::hierarchy {

#if MLMQ_LONG_PATHS
/// Distance of a vertex that is not reached.
inline constexpr u32 no_path = unreached;
/// Length of all paths that are at least as long.
inline constexpr u32 saturated = no_path - 1;

/// Returns the length of a path and an arc, which saturates.
SIMT_DEVICE u32 path_length(u32 distance, u32 weight) {
  const u32 room = saturated - distance;
  return distance == no_path ? no_path : distance + (weight < room ? weight : room);
}
SIMT_DEVICE bool is_saturated(u32 length) { return length == saturated; }
#else
/// For graphs all of whose distances are less. Two of them can be added; lengths that are not less are not stored.
inline constexpr u32 no_path = 0x7FFFFFFFu;

SIMT_DEVICE u32 path_length(u32 distance, u32 weight) { return distance + weight; }
SIMT_DEVICE bool is_saturated(u32 /*length*/) { return false; }
#endif

/// Like path_length(), for arcs whose length may be no_path.
SIMT_DEVICE u32 joined_length(u32 distance, u32 weight) {
  return weight == no_path ? no_path : path_length(distance, weight);
}

}  // namespace mlmq::hierarchy
