// SPDX-License-Identifier: Apache-2.0
// The device that `mlmq solve` uses for --device auto.
#pragma once

#include <string>

namespace mlmq::cli {

struct solving_device {
  std::string selector;
  bool replaces_gpu = false;  ///< there is no GPU, and the processors search instead
};

/// Without a GPU the processors search, unless only kernels can do what the options ask for: then the simulator does.
/// @param device the option's value @param needs_kernels whether the options need kernels
/// @throws input_error for a device that is not here
[[nodiscard]] solving_device solving_device_for(const std::string& device, bool needs_kernels);

}  // namespace mlmq::cli
