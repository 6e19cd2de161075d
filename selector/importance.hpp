// SPDX-License-Identifier: Apache-2.0
// Which of its inputs a model uses.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "selector/model_file.hpp"

namespace mlmq::selector {

struct input_importance {
  std::string name;  ///< as model::feature_names
  /// Its share, in [0,1], of what all splits together lowered the loss by; in a kernel fit, of what all features together
  /// change in the scores of the recorded graphs when they are unknown.
  double gain = 0;
  std::size_t splits = 0;  ///< that compare it; in a kernel fit, the recorded graphs that it is compared with
};

/// All inputs of the model, the most important first; of equals in the model's order. It says what the trees use, not what
/// they would lose without: of two inputs that tell the same, one may have all the gain. A member of an ensemble counts
/// as much as another.
/// @throws input_error when the model is inconsistent
[[nodiscard]] std::vector<input_importance> importance_of(const model& model);

}  // namespace mlmq::selector
