// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/resident_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mlmq::problems {

namespace {

/// @param resident maximum number of resident blocks
/// @throws backends::launch_error
unsigned grid_of(const backends::device_info& device, const grid_bounds& bounds, unsigned resident) {
  if (bounds.shared_bytes > device.shared_bytes_per_block) {
    throw backends::launch_error(fmt::format("a block needs {} bytes of shared memory, but {} has {}",
                                             bounds.shared_bytes, device.name, device.shared_bytes_per_block));
  }
  unsigned blocks = std::min(resident, bounds.most);
  if (bounds.per_multiprocessor > 0) {
    blocks = std::min(blocks, bounds.per_multiprocessor * device.multiprocessors + bounds.least - 1);
  }
  if (blocks < bounds.least) {
    throw backends::launch_error(fmt::format("only {} of the {} blocks of {} threads that a search needs {} on {}",
                                             blocks, bounds.least, bounds.threads,
                                             blocks == 1 ? "is resident" : "are resident", device.name));
  }
  return blocks;
}

}  // namespace

void require_possible_grid(const backends::device_info& device, const grid_bounds& bounds) {
  const unsigned warps = std::max(1U, bounds.threads / device.warp_size);
  (void)grid_of(device, bounds, device.warp_slots / warps * device.multiprocessors);
}

unsigned resident_grid(const search_input& input, const backends::kernel& compiled, const grid_bounds& bounds) {
  return grid_of(input.device.info(), bounds, compiled.resident_blocks(bounds.shared_bytes));
}

}  // namespace mlmq::problems
