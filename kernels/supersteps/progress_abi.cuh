// SPDX-License-Identifier: Apache-2.0
// The word on which all blocks arrive at the end of a superstep (supersteps/barrier.cuh).
#pragma once

#include "simt/types.cuh"

/// Two counts in one word, so that a thread that sees the arrival of all blocks also sees how many pieces of rows they
/// wrote.
namespace mlmq::superstep_progress {

inline constexpr u32 arrival_shift = 48;  ///< pieces are counted below
inline constexpr u32 max_blocks = (1u << 12) - 1;
inline constexpr u64 stop = 1ull << 63;  ///< the run ends with this superstep

constexpr u64 pieces_in(u64 progress) { return progress & ((1ull << arrival_shift) - 1); }

}  // namespace mlmq::superstep_progress
