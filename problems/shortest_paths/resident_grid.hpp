// SPDX-License-Identifier: Apache-2.0
// How many blocks a search is launched with: they wait for each other, so all must be resident together.
#pragma once

#include <cstddef>

#include "problems/shortest_paths/solver.hpp"

namespace mlmq::problems {

/// What a configuration and its kernel say of the blocks of a launch.
struct grid_bounds {
  unsigned threads;             ///< of a block
  std::size_t shared_bytes;     ///< dynamic shared memory of a block
  unsigned per_multiprocessor;  ///< most workers' blocks on one; 0: as many as fit
  unsigned least;               ///< that the kernel needs; all but one of them are besides `per_multiprocessor`
  unsigned most;                ///< that the kernel can count
};

/// @throws backends::launch_error when no kernel with these bounds can be launched on the device, whatever its registers
void require_possible_grid(const backends::device_info& device, const grid_bounds& bounds);

/// Blocks of a launch: as many as are resident within these bounds.
/// @throws backends::launch_error when a block needs more shared memory than there is, or fewer than `least` are resident
[[nodiscard]] unsigned resident_grid(const search_input& input, const backends::kernel& compiled,
                                     const grid_bounds& bounds);

}  // namespace mlmq::problems
