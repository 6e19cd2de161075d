// SPDX-License-Identifier: Apache-2.0
// Definitions shared by the host and the frontier kernels (near_far.cu, bellman_ford.cu): arguments, control words, the
// layout of shared memory.
#pragma once

#include "search_abi.cuh"
#include "supersteps/progress_abi.cuh"

namespace mlmq {

/// A part of a row that is too long for one warp.
struct alignas(16) edge_slice {
  u64 begin;  ///< position of the first edge
  u32 count;
  u32 distance;  ///< distance of the row's vertex, or the vertex if distances have 8 bytes
};

/// The words of one superstep. Four sets are used in rotation: during superstep k, block 0 clears those of k+1. It has
/// passed the barrier of k-1 or, if it went through k-1 alone, of k-2; so all blocks have left the barrier of k-3,
/// which used the same set.
struct alignas(128) superstep_words {
  u64 progress;  ///< see frontier_progress
  u32 far_min;   ///< shortest distance that a split kept in the far pile; all ones: none
  u32 claimed;   ///< elements of the frontier that were claimed after the first share of every warp
};

/// State with which all blocks continue a frontier search. Block 0 writes it after supersteps of its own, or at the end
/// of each launch.
struct alignas(128) frontier_state {
  u32 next;    ///< frontier_step
  u32 near;    ///< elements of the frontier
  u32 slices;  ///< slices of long rows that wait
  u32 threshold;
  u32 far_floor;    ///< no element of the far pile is shorter
  u32 near_buffer;  ///< the near pile with the frontier
  u32 far_buffer;   ///< the far pile that is appended to
  u32 far_begin[2];
  u32 near_base;  ///< elements of the next frontier from before the superstep
};

/// The kind of the next superstep.
enum class frontier_step : u32 {
  expand,  ///< relax the near pile
  slices,  ///< relax the long rows that the last superstep set aside
  split,   ///< move elements that a raised threshold makes near from the far to the near pile
  narrow,  ///< block 0 continues alone
  end
};

/// All global control words of a frontier search; zero at the start of a query.
struct frontier_control {
  alignas(128) u32 status;      ///< run_status, written once
  alignas(128) u32 host_abort;  ///< set by the host to stop the run
  superstep_words steps[4];
  alignas(128) u32 resumed;  ///< number of times that block 0 has called the others
  frontier_state state;
  struct alignas(128) pile_words {
    u32 tail;  ///< elements ever written, modulo 2^32
  } far[2];
  /// With a launch for each superstep, odd supersteps read this state and write the other, and even ones the reverse.
  frontier_state odd_state;
  u64 deadline;  ///< of all launches together, in ns of the device's clock
};

/// superstep_words::progress: like superstep_progress, but with three counts, those of near elements, of slices of long
/// rows and of arrivals.
namespace frontier_progress {
inline constexpr u32 slice_shift = 31;
inline constexpr u32 arrival_shift = 51;
inline constexpr u32 max_near = 1u << 30;  ///< capacity of a near pile; reservations beyond it still count
inline constexpr u32 max_slices = 1u << 19;
}  // namespace frontier_progress

/// Arguments of the kernels `near_far` and `bellman_ford`.
struct frontier_arguments {
  const void* offsets;  ///< as in search_arguments
  const void* edges;
  u32* distances;  ///< as in search_arguments; u64 if distances have 8 bytes
  frontier_control* control;
  u64* near_pile;      ///< two of near_capacity elements
  u64* far_pile;       ///< two of far_mask + 1 elements; null for bellman_ford
  edge_slice* slices;  ///< room for one cut per row
  u64* counters;       ///< counter_count sums, or null
  u32 near_capacity;
  u32 far_mask;     ///< capacity of a far pile - 1; the capacity is a power of two
  u32 slice_edges;  ///< edges of a slice; rows of four times as many are cut into slices
  u32 source;
  u32 delta;      ///< Δ, a distance: 32 bits of the weight type, or the key of 8 bytes (distance_width.cuh)
  u32 one_block;  ///< largest frontier that block 0 expands alone
  u64 time_limit_ns;
  u32* stamps;  ///< for 8-byte distances: one word per vertex, all ones; otherwise null
  u32 step;     ///< with a launch for each superstep, its number
};

/// Elements that a warp keeps in shared memory for the near and for the far pile before it writes them.
inline constexpr u32 near_stage = 128;
inline constexpr u32 far_stage = 64;

/// Words that the warps of a block exchange.
struct frontier_block_words {
  u32 near_count[simt::warp_size];  ///< elements that each warp has staged
  u32 far_count[simt::warp_size];
  u32 near_base;  ///< position of the block's elements
  u32 far_base;
  u32 near_fits;  ///< whether the block's elements fit
  u32 far_fits;
  u32 stop;         ///< the run ends
  u32 went_global;  ///< some of the superstep's output is in global memory already
  u32 near;         ///< results of the superstep
  u32 slices;
  // Only thread 0 uses these; they are here because registers are scarce.
  u32 calls;     ///< number of calls by block 0 so far
  u32 is_over;   ///< block 0 only: whether the run must end
  u64 deadline;  ///< block 0 only
};

/// Largest frontier that fits into the shared memory of one block: the elements that its warps can stage.
constexpr u32 frontier_in_block(u32 threads) { return threads / simt::warp_size * (near_stage - simt::warp_size); }

/// Dynamic shared memory of a block of `threads` threads.
constexpr u32 frontier_shared_bytes(u32 threads) {
  const u32 warp_bytes =
      simt::warp_size * static_cast<u32>(sizeof(row_entry)) + (near_stage + far_stage) * static_cast<u32>(sizeof(u64));
  return static_cast<u32>(sizeof(frontier_block_words)) + threads / simt::warp_size * warp_bytes +
         2 * frontier_in_block(threads) * static_cast<u32>(sizeof(u64));
}

}  // namespace mlmq
