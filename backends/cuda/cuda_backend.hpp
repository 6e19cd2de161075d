// SPDX-License-Identifier: Apache-2.0
// Runs kernels on one NVIDIA GPU.
#pragma once

#include <memory>

#include "backends/backend.hpp"

namespace mlmq::backends {

inline constexpr device_traits cuda_traits{.modelled = false, .grid = true, .timeline = true, .warp_size = 32};

/// Number of GPUs the driver shows; 0 without a driver.
[[nodiscard]] unsigned cuda_device_count();

/// @throws input_error when there is no such GPU, saying why
[[nodiscard]] std::unique_ptr<backend> open_cuda(unsigned index);

/// What the backend would say of itself; makes no context. @throws input_error as open_cuda
[[nodiscard]] device_info inspect_cuda(unsigned index);

[[nodiscard]] backend_report report_cuda();

}  // namespace mlmq::backends
