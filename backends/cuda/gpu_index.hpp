// SPDX-License-Identifier: Apache-2.0
// Selectors of GPUs: "cuda" and "cuda:N".
#pragma once

#include <map>
#include <string>

#include "backends/backend.hpp"

namespace mlmq::backends {

/// Returns the index of the GPU that a selector names; 0 for "cuda". @throws input_error if it names no GPU
[[nodiscard]] unsigned gpu_index(const std::string& selector);

/// Returns "cuda:N" for the GPU that a selector names. @throws input_error like gpu_index()
[[nodiscard]] std::string gpu_selector(const std::string& selector);

/// Returns environment variables for a process that sees only this GPU, and selects it as this process does. The driver
/// initialises all GPUs that it sees.
[[nodiscard]] std::map<std::string, std::string> one_gpu_environment(const device_info& gpu);

/// Returns the number in the selector of the GPU that the driver lists first: 0, except in a process with
/// one_gpu_environment(). @throws input_error if the variable is not a number of a GPU
[[nodiscard]] unsigned first_gpu();

/// Returns the place in the driver's list of the GPU that a selector names. @throws input_error like gpu_index(), or if
/// this process does not see the GPU
[[nodiscard]] unsigned driver_index(const std::string& selector);

}  // namespace mlmq::backends
