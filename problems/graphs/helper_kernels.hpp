// SPDX-License-Identifier: Apache-2.0
// Helper kernels without macros, which arrange rows, check weights, and check and compare distances.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "backends/backend.hpp"

namespace mlmq::problems {

/// Each kernel is the entry of a file with the same name.
inline constexpr std::array helper_kernels{
    "compare_words",    "decimal_distances",     "device_rows", "edge_weights", "ell_rows",    "fill_in",
    "finish_distances", "finish_wide_distances", "near_rows",   "reduce_graph", "reverse_rows"};

/// Returns the threads per block of such a kernel.
[[nodiscard]] inline unsigned helper_threads(const backends::device_info& device) {
  constexpr unsigned most_warps = 8;
  return device.warp_size * std::clamp(device.warp_slots, 1U, most_warps);
}

/// Returns the variant of a helper kernel. @param name one of helper_kernels
[[nodiscard]] inline backends::kernel_source helper_variant(const std::string& name,
                                                            const backends::device_info& device) {
  return {.file = name + ".cu", .entry = name, .block_threads = helper_threads(device), .defines = {}, .folder = {}};
}

}  // namespace mlmq::problems
