// SPDX-License-Identifier: Apache-2.0
// Interface between the simulator and kernels compiled for it: how a lane finds its state, and the functions that it
// calls. Both sides are compiled separately, so everything here is plain data.
#pragma once

#include "types.cuh"

namespace simt::simulator {

/// Version of this interface, which changes whenever this file changes meaning. A kernel exports the number that it was
/// compiled with.
inline constexpr u32 api_version = 2;

/// Every lane runs on a stack of this size, aligned to this size, with its lane_view at the upper end: a lane finds
/// itself by rounding its frame address, which is cheaper than thread-local storage of a loaded object and needs no
/// global state, so that several simulators can run the same kernel.
inline constexpr unsigned long stack_bytes = 64 * 1024;
inline constexpr unsigned long view_bytes = 256;

enum class atomic_operation : u32 { load, store, add, min, bit_or, exchange, compare_exchange, reduce_add };

/// An atomic operation in one word, so that a call passes few arguments.
struct atomic_code {
  u32 bits;
  constexpr atomic_code(atomic_operation operation, order o, scope s, u32 bytes)
      : bits(static_cast<u32>(operation) | static_cast<u32>(o) << 4 | static_cast<u32>(s) << 8 | bytes << 12) {}
  [[nodiscard]] constexpr atomic_operation operation() const { return static_cast<atomic_operation>(bits & 15); }
  [[nodiscard]] constexpr order memory_order() const { return static_cast<order>(bits >> 4 & 15); }
  [[nodiscard]] constexpr scope memory_scope() const { return static_cast<scope>(bits >> 8 & 15); }
  [[nodiscard]] constexpr u32 bytes() const { return bits >> 12; }
};

enum class collective : u32 {
  none,
  sync_warp,
  ballot,
  any,
  all,
  shuffle,
  match_any,
  warp_add,
  warp_min,
  warp_max,
  warp_or,
  inclusive_scan,
  sync_block
};

struct lane_view;

/// The simulator's functions. `file` and `line` are the place of the call in the kernel. All may end the lane by an
/// exception that only the simulator catches.
struct functions {
  /// Checks a plain read, which the kernel then performs itself.
  void (*load)(lane_view*, const void* address, u32 bytes, u32 alignment, bool readonly, const char* file, u32 line);
  /// Checks and performs a plain write.
  void (*store)(lane_view*, void* address, const void* value, u32 bytes, u32 alignment, const char* file, u32 line);
  u64 (*atomic)(lane_view*, u32 code, void* address, u64 value, u64 expected, const char* file, u32 line);
  void (*load_quad)(lane_view*, const quad* address, quad* value, const char* file, u32 line);
  void (*fence)(lane_view*, order o, scope s, const char* file, u32 line);
  u64 (*collect)(lane_view*, collective kind, u64 value, u32 from_lane, const char* file, u32 line);
  u64 (*clock_ns)(lane_view*);
  void (*backoff)(lane_view*, u32 nanoseconds, const char* file, u32 line);
  /// An assertion of the kernel does not hold.
  void (*violated)(lane_view*, const char* condition, const char* file, u32 line);
};

/// State of a lane.
struct lane_view {
  const functions* call;
  u8* shared_memory;
  u32 thread_in_block;
  u32 lane;
  u32 warp_in_block;
  u32 block;
  u32 grid_blocks;
};

}  // namespace simt::simulator
