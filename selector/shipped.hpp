// SPDX-License-Identifier: Apache-2.0
// The models that are part of the program: selector/shipped/PROBLEM.json, trained on recorded trials.
#pragma once

#include <string_view>

namespace mlmq::selector {

/// Returns the text of a shipped model, as `mlmq selector train` writes it.
/// @param problem "sssp", "phold" or "astar"
/// @throws std::out_of_range for other problems
[[nodiscard]] std::string_view shipped_model_text(std::string_view problem);

}  // namespace mlmq::selector
