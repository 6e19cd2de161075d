// SPDX-License-Identifier: Apache-2.0
// GPUs of this machine, as the driver lists and describes them. No function creates a context.
#pragma once

#include <string>

#include "backends/backend.hpp"
#include "backends/cuda/driver.hpp"

namespace mlmq::backends {

inline constexpr device_traits cuda_traits{.modelled = false, .grid = true, .timeline = true, .warp_size = 32};

/// Returns the number of GPUs that the driver reports; 0 without a driver.
[[nodiscard]] unsigned cuda_device_count();

/// Returns the index of a GPU in the driver's list. @throws input_error if the GPU does not exist, with the reason
[[nodiscard]] unsigned require_gpu(const std::string& selector);

/// Returns the driver's handle of a GPU. @param index in the driver's list @throws work_error
[[nodiscard]] CUdevice device_at(unsigned index);

/// Returns the properties of a GPU. @param index in the driver's list @throws work_error
[[nodiscard]] device_info describe_gpu(unsigned index);

/// Describes the GPU that a selector names. @throws input_error like require_gpu()
[[nodiscard]] device_info inspect_cuda(const std::string& selector);

/// Returns what `mlmq doctor` prints of compiler, driver and GPUs.
[[nodiscard]] backend_report report_cuda();

}  // namespace mlmq::backends
