// SPDX-License-Identifier: Apache-2.0
// The device that `mlmq solve` uses for --device auto.
#pragma once

#include <string>

namespace mlmq::cli {

struct solving_device {
  std::string selector;
  bool replaces_gpu = false;  ///< whether the processors replace a missing GPU
};

/// Returns the device for the search. Without a GPU these are the processors, or the simulator if the options need
/// kernels.
/// @param device value of --device @param needs_kernels whether the options need kernels
/// @throws input_error for a missing device
[[nodiscard]] solving_device solving_device_for(const std::string& device, bool needs_kernels);

}  // namespace mlmq::cli
