// SPDX-License-Identifier: Apache-2.0
// Runs kernels on one NVIDIA GPU.
#pragma once

#include <memory>
#include <string>

#include "backends/backend.hpp"

namespace mlmq::backends {

inline constexpr device_traits cuda_traits{.modelled = false, .grid = true, .timeline = true, .warp_size = 32};

/// Returns the number of GPUs that the driver reports; 0 without a driver.
[[nodiscard]] unsigned cuda_device_count();

/// Opens a GPU. @throws input_error if the GPU does not exist, with the reason
[[nodiscard]] std::unique_ptr<backend> open_cuda(const std::string& selector);

/// Returns the info() of a GPU without creating a context. @throws input_error like open_cuda()
[[nodiscard]] device_info inspect_cuda(const std::string& selector);

[[nodiscard]] backend_report report_cuda();

}  // namespace mlmq::backends
