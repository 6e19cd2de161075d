// SPDX-License-Identifier: Apache-2.0
// What the host and the kernel `flood` agree on.
#pragma once

#include "queues/storage.cuh"

/// A height map of width x height cells, row by row, and the view of the queue's memory.
struct flood_arguments : mlmq::queue_storage<u64> {
  const u32* heights;
  u32* levels;  ///< of the water in each cell; all ones at the start
  u32 width;
  u32 height;
};

inline constexpr u32 flood_threads = 128;     ///< of a block
inline constexpr u32 flood_l1_capacity = 64;  ///< elements in shared memory for each warp
inline constexpr u32 flood_buckets = 16;      ///< rings in global memory

/// Dynamic shared memory of a block.
inline constexpr u32 flood_shared_bytes = mlmq::queue_shared_bytes<u64, 0>(flood_threads, flood_l1_capacity, false);
