// SPDX-License-Identifier: Apache-2.0
// Computes the number of blocks of a search. They wait for each other, so all must be resident at the same time.
#pragma once

#include <cstddef>

#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::problems {

/// Bounds on the blocks of a launch, given by a configuration and its kernel.
struct grid_bounds {
  unsigned threads;             ///< threads per block
  std::size_t shared_bytes;     ///< dynamic shared memory per block
  unsigned per_multiprocessor;  ///< maximum number of worker blocks per multiprocessor; 0: as many as fit
  unsigned least;               ///< minimum number of blocks; all but one are in addition to `per_multiprocessor`
  unsigned most;                ///< maximum number of blocks that the kernel supports
};

/// @throws backends::launch_error if no kernel with these bounds can be launched on the device, however few registers
///   it uses
void require_possible_grid(const backends::device_info& device, const grid_bounds& bounds);

/// Returns the number of blocks of a launch: as many as can be resident within these bounds.
/// @throws backends::launch_error if a block needs too much shared memory, or fewer than `least` blocks can be resident
[[nodiscard]] unsigned resident_grid(const search_input& input, const backends::kernel& compiled,
                                     const grid_bounds& bounds);

}  // namespace mlmq::problems
