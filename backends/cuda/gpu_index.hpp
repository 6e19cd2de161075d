// SPDX-License-Identifier: Apache-2.0
// The names of GPUs: "cuda" and "cuda:N".
#pragma once

#include <string>

namespace mlmq::backends {

/// The number of the GPU that a selector names: 0 for "cuda". @throws input_error when it names none
[[nodiscard]] unsigned gpu_index(const std::string& selector);

/// "cuda:N" for the same GPU. @throws input_error as gpu_index()
[[nodiscard]] std::string gpu_selector(const std::string& selector);

}  // namespace mlmq::backends
