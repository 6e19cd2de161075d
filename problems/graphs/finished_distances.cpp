// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/finished_distances.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <string>

#include "finish_distances_abi.cuh"
#include "problems/graphs/helper_kernels.hpp"

namespace mlmq::problems {
namespace {

/// The kernel is memory-bound, so more blocks do not help.
constexpr unsigned blocks_per_multiprocessor = 8;

}  // namespace

finished_distances::result finished_distances::finish(const backends::device_memory& words, std::size_t count,
                                                      graph::weight_type type) {
  result outcome;
  if (saturated_flag_.bytes() == 0) saturated_flag_ = device_.allocate(sizeof(u32), "whether a distance is too large");
  if (type == graph::weight_type::float64) {
    constexpr auto infinite = std::bit_cast<u64>(std::numeric_limits<double>::infinity());
    launch(wide_kernel_, "finish_wide_distances", count,
           finish_wide_arguments{.words = words.as<u64>(),
                                 .count = count,
                                 .saturated_flag = saturated_flag_.as<u32>(),
                                 .saturated = infinite,
                                 .unreached = infinite},
           outcome);
  } else {
    constexpr auto infinite = std::bit_cast<u32>(std::numeric_limits<float>::infinity());
    const bool is_float = type == graph::weight_type::float32;
    launch(kernel_, "finish_distances", count,
           finish_arguments{.words = words.as<u32>(),
                            .count = count,
                            .saturated_flag = saturated_flag_.as<u32>(),
                            .saturated = is_float ? infinite : graph::saturated_distance,
                            .unreached = is_float ? infinite : graph::unreached},
           outcome);
  }
  return outcome;
}

finished_distances::result finished_distances::write_decimals(const backends::device_memory& words, std::size_t count,
                                                              double units, const backends::device_memory& numbers) {
  result outcome;
  if (saturated_flag_.bytes() == 0) saturated_flag_ = device_.allocate(sizeof(u32), "whether a distance is too large");
  launch(decimal_kernel_, "decimal_distances", count,
         decimal_arguments{.words = words.as<u32>(),
                           .numbers = numbers.as<double>(),
                           .count = count,
                           .units = units,
                           .unreached = std::numeric_limits<double>::infinity()},
         outcome);
  return outcome;
}

template <class Arguments>
void finished_distances::launch(std::shared_ptr<const backends::kernel>& kernel, const char* name, std::size_t count,
                                const Arguments& arguments, result& outcome) {
  const unsigned threads = helper_threads(device_.info());
  if (kernel == nullptr) {
    kernel = device_.compile(helper_variant(name, device_.info()));
    outcome.compile_ms = kernel->properties().compile_ms;
  }
  const unsigned most = std::clamp(kernel->resident_blocks(0), 1U,
                                   blocks_per_multiprocessor * std::max(1U, device_.info().multiprocessors));
  const auto blocks = static_cast<unsigned>(std::clamp<std::size_t>(count / threads, 1, most));
  device_.set_watchdog({});
  u32 has_saturated = 0;
  const backends::host_copy flag_copy{
      .source = &saturated_flag_, .destination = &has_saturated, .bytes = sizeof has_saturated};
  outcome.milliseconds = device_.measure_and_download(
      [&] {
        device_.fill(saturated_flag_, 0, saturated_flag_.bytes(), 0);
        device_.launch(*kernel, {.grid_blocks = blocks,
                                 .shared_bytes = 0,
                                 .arguments = &arguments,
                                 .argument_bytes = sizeof arguments,
                                 .together = false});
      },
      std::span(&flag_copy, 1));
  outcome.has_saturated = has_saturated != 0;
}

}  // namespace mlmq::problems
