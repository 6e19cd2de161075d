// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/resident_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mlmq::problems {

unsigned resident_grid(const search_input& input, const backends::kernel& compiled, const grid_bounds& bounds) {
  const backends::device_info& device = input.device.info();
  if (bounds.shared_bytes > device.shared_bytes_per_block) {
    throw backends::launch_error(fmt::format("a block needs {} bytes of shared memory; {} has {}", bounds.shared_bytes,
                                             device.name, device.shared_bytes_per_block));
  }
  unsigned blocks = std::min(compiled.resident_blocks(bounds.shared_bytes), bounds.most);
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

}  // namespace mlmq::problems
