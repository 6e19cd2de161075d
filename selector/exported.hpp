// SPDX-License-Identifier: Apache-2.0
// Ranks candidates with the model of an exported header, for programs that have several of them.
#pragma once

#include <cstddef>
#include <vector>

#include "selector/runtime.hpp"

namespace mlmq::selector {

/// Returns all candidates in descending order of predicted relative performance; ties go to the lower index.
/// @param values one per feature of model.features; NaN: unknown
[[nodiscard]] std::vector<std::size_t> ranked_candidates(const runtime::model& model, const double* values);

}  // namespace mlmq::selector
