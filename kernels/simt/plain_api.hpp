// SPDX-License-Identifier: Apache-2.0
// The interface between the simulator and kernels in plain CUDA C++, in addition to cluster_api.hpp.
#pragma once

#include "cluster_api.hpp"

namespace simt::simulator {

/// Further kinds of collectives. Those of a warp take a mask of lanes.
inline constexpr collective sync_grid = static_cast<collective>(static_cast<u32>(collective::sync_block) + 3);
inline constexpr collective warp_and = static_cast<collective>(static_cast<u32>(collective::sync_block) + 4);
inline constexpr collective warp_xor = static_cast<collective>(static_cast<u32>(collective::sync_block) + 5);

/// Further atomic operations: values of atomic_operation after its own. They are declared here, since simulator_api.hpp
/// is part of the identity of all kernels. The operands of add_real are float or double.
enum class plain_atomic : u32 {
  max = static_cast<u32>(atomic_operation::reduce_add) + 1,
  bit_and,
  bit_xor,
  min_signed,
  max_signed,
  add_real,
  increment,
  decrement
};

/// Largest dynamic shared memory of a block, which the object of a kernel reserves.
inline constexpr u32 max_dynamic_shared_bytes = 227 * 1024;

struct plain_lane_view;

/// Functions of the simulator that only kernels in plain CUDA C++ call. `code` is an address in the kernel's code.
struct plain_functions {
  /// Checks a plain access, which the kernel then performs itself. `alignment` is 1 for an access that need not be
  /// aligned.
  void (*access)(plain_lane_view*, const void* address, u64 bytes, u32 alignment, bool write, const void* code);
  /// Checks an access to a volatile variable, which the kernel then performs itself.
  void (*access_volatile)(plain_lane_view*, const void* address, u32 bytes, bool write, const void* code);
  /// Returns the result of a collective of the lanes in `mask`; sync_block returns the number of lanes of the block
  /// whose value is not 0.
  u64 (*collect)(plain_lane_view*, collective kind, u32 mask, u64 value, u32 from_lane, const char* file, u32 line);
  /// Called when `steps` has reached step_limit.
  void (*take_steps)(plain_lane_view*);
};

/// Coordinates in three dimensions.
struct position {
  u32 x, y, z;
};

/// State of a lane that runs plain CUDA C++. Every lane_view is one.
struct plain_lane_view : cluster_lane_view {
  const plain_functions* plain;
  u32 steps;  ///< basic blocks of code since the simulator last looked
  position thread;
  position block_position;
  position block_size;
  position grid_size;
};
inline constexpr u32 step_limit = 1u << 14;

}  // namespace simt::simulator
