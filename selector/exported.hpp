// SPDX-License-Identifier: Apache-2.0
// What an exported header's model says, for programs that have several of them.
#pragma once

#include <cstddef>
#include <vector>

#include "selector/runtime.hpp"

namespace mlmq::selector {

/// All candidates, the one of the highest predicted relative performance first; of equals the lower number.
/// @param values one for each of model.features; NaN: unknown
[[nodiscard]] std::vector<std::size_t> ranked_candidates(const runtime::model& model, const double* values);

}  // namespace mlmq::selector
