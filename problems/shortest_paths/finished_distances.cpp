// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/finished_distances.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "finish_distances_abi.cuh"

namespace mlmq::problems {
namespace {

constexpr unsigned most_warps = 8;
/// More blocks would only wait for memory.
constexpr unsigned blocks_per_multiprocessor = 8;

}  // namespace

finished_distances::result finished_distances::pass(const backends::device_memory& words, std::size_t count,
                                                    graph::weight_type type, bool writes) {
  const unsigned threads = simt::warp_size * std::clamp(device_.info().warp_slots, 1U, most_warps);
  result found;
  if (kernel_ == nullptr) {
    kernel_ = device_.compile({.file = "finish_distances.cu",
                               .entry = "finish_distances",
                               .block_threads = threads,
                               .defines = {},
                               .folder = {}});
    found.compile_ms = kernel_->properties().compile_ms;
    found_ = device_.allocate(sizeof(u32), "whether a distance is too large");
  }
  constexpr auto infinite = std::bit_cast<u32>(std::numeric_limits<float>::infinity());
  const bool is_float = type == graph::weight_type::float32;
  const finish_arguments arguments{.words = words.as<u32>(),
                                   .count = count,
                                   .found = found_.as<u32>(),
                                   .sought = is_float ? infinite : graph::saturated_distance,
                                   .unreached = is_float && writes ? infinite : graph::unreached};
  const unsigned most = std::clamp(kernel_->resident_blocks(0), 1U,
                                   blocks_per_multiprocessor * std::max(1U, device_.info().multiprocessors));
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(count / threads, 1, most));
  device_.set_watchdog({});
  found.milliseconds = device_.measure([&] {
    device_.fill(found_, 0, found_.bytes(), 0);
    device_.launch(*kernel_, {.grid_blocks = blocks,
                              .shared_bytes = 0,
                              .arguments = &arguments,
                              .argument_bytes = sizeof arguments,
                              .together = false});
  });
  u32 any = 0;
  device_.download(&any, found_, sizeof any);
  found.has_saturated = any != 0;
  return found;
}

}  // namespace mlmq::problems
