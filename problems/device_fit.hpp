// SPDX-License-Identifier: Apache-2.0
// Whether a solver runs on a kind of device.
#pragma once

#include <fmt/format.h>

#include <string>

#include "backends/backend.hpp"

namespace mlmq::problems {

/// Checks that a kernel is for a device with a grid, and another solver for processors. @throws backends::launch_error
inline void require_device(const std::string& solver, bool is_kernel, const backends::device_info& device) {
  if (is_kernel == device.grid) return;
  throw backends::launch_error(fmt::format("solver {} does not run on {}, which {}", solver, device.name,
                                           is_kernel ? "does not run kernels" : "runs only kernels"));
}

}  // namespace mlmq::problems
