// SPDX-License-Identifier: Apache-2.0
// Selectors of GPUs: "cuda" and "cuda:N".
#pragma once

#include <string>

namespace mlmq::backends {

/// Returns the index of the GPU that a selector names; 0 for "cuda". @throws input_error if it names no GPU
[[nodiscard]] unsigned gpu_index(const std::string& selector);

/// Returns "cuda:N" for the GPU that a selector names. @throws input_error like gpu_index()
[[nodiscard]] std::string gpu_selector(const std::string& selector);

}  // namespace mlmq::backends
