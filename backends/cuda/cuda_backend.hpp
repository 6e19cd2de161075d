// SPDX-License-Identifier: Apache-2.0
// Runs kernels on one NVIDIA GPU.
#pragma once

#include <memory>
#include <string>

#include "backends/backend.hpp"

namespace mlmq::backends {

/// Opens a GPU. @throws input_error if the GPU does not exist, with the reason
[[nodiscard]] std::unique_ptr<backend> open_cuda(const std::string& selector);

}  // namespace mlmq::backends
