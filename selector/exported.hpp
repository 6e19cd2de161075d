// SPDX-License-Identifier: Apache-2.0
// What an exported header's model says, for programs that have several of them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "selector/runtime.hpp"

namespace mlmq::selector {

/// All candidates, the one of the highest predicted relative performance first; of equals the lower number.
/// @param values one for each of model.features; NaN: unknown
[[nodiscard]] std::vector<std::size_t> ranked_candidates(const runtime::model& model, const double* values);

/// The label of the first of them that can be used. @param value gives a feature by its name; NaN: unknown
/// @param usable whether the device can run a label's configuration; none: it can run all
/// @return "" when none can be used
[[nodiscard]] std::string best_label(const runtime::model& model, const std::function<double(std::string_view)>& value,
                                     const std::function<bool(const std::string&)>& usable = {});

}  // namespace mlmq::selector
