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

struct ranked_label {
  std::string label;
  float predicted = 0;  ///< relative performance
};

/// The same with labels. @param value gives a feature by its name; NaN: unknown
[[nodiscard]] std::vector<ranked_label> ranked_labels(const runtime::model& model,
                                                      const std::function<double(std::string_view)>& value);

}  // namespace mlmq::selector
