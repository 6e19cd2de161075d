// SPDX-License-Identifier: Apache-2.0
// Measures the cost of uploading data.
#pragma once

#include "backends/backend.hpp"
#include "problems/searches/plan.hpp"

namespace mlmq::detail {

/// Measures the cost of uploading data to a device.
[[nodiscard]] problems::transfer_cost measure_transfer(backends::backend& device);

}  // namespace mlmq::detail
