// SPDX-License-Identifier: Apache-2.0
#include "problems/search/baseline_launch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mlmq::problems {

unsigned resident_grid(const search_input& input, const backends::kernel& compiled, std::size_t shared_bytes,
                       const baseline_numbers& numbers, unsigned least, unsigned most) {
  const backends::device_info& device = input.device.info();
  if (shared_bytes > device.shared_bytes_per_block) {
    throw backends::launch_error(fmt::format("a block needs {} bytes of shared memory; {} has {}", shared_bytes,
                                             device.name, device.shared_bytes_per_block));
  }
  unsigned blocks = std::min(compiled.resident_blocks(shared_bytes), most);
  if (numbers.blocks_per_multiprocessor > 0) {
    blocks = std::min(blocks, numbers.blocks_per_multiprocessor * device.multiprocessors + least - 1);
  }
  if (blocks < least) {
    throw backends::launch_error(fmt::format("only {} of the {} blocks of {} threads that a search needs {} on {}",
                                             blocks, least, numbers.threads,
                                             blocks == 1 ? "is resident" : "are resident", device.name));
  }
  return blocks;
}

double average_degree(const graph::csr_graph& graph) {
  const auto vertices = static_cast<double>(std::max<std::size_t>(graph.vertex_count(), 1));
  return static_cast<double>(graph.edge_count()) / vertices;
}

}  // namespace mlmq::problems
