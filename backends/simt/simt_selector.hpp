// SPDX-License-Identifier: Apache-2.0
// Shape of the simulated GPU, given by its selector.
#pragma once

#include <string>

namespace mlmq::backends::simulator {

struct gpu_shape {
  unsigned multiprocessors = 4;
  unsigned warps = 8;  ///< number of resident warps per multiprocessor

  /// Sizes of an H200.
  static constexpr std::size_t shared_bytes_per_multiprocessor = 228 * 1024;
  static constexpr std::size_t shared_bytes_per_block = 227 * 1024;
  static constexpr std::size_t reserved_bytes_per_block = 1024;
  static constexpr unsigned blocks_per_multiprocessor = 32;
  static constexpr unsigned cluster_blocks = 16;

  /// Returns the number of resident blocks of `block_warps` warps with `shared_bytes` bytes of shared memory each.
  [[nodiscard]] unsigned resident_blocks(unsigned block_warps, std::size_t shared_bytes) const;
};

/// Parses "simt" or "simt:SxW". @throws input_error
[[nodiscard]] gpu_shape parse_simt_selector(const std::string& selector);

}  // namespace mlmq::backends::simulator
