// SPDX-License-Identifier: Apache-2.0
// Importance of a model's inputs.
#pragma once

#include <string>
#include <vector>

#include "selector/model_file.hpp"

namespace mlmq::selector {

struct input_importance {
  std::string name;
  /// Its share, in [0,1], of what all splits together lowered the loss by (of a forest, those on candidates' parameters
  /// have the rest); in a kernel fit, of what all features together change in the scores of the recorded workloads when
  /// they are unknown.
  double share = 0;
};

/// All inputs of the model, the most important first; of equals in the model's order. It says what the model uses, not
/// what it would lose without: of two inputs that tell the same, one may have all the share.
[[nodiscard]] std::vector<input_importance> importance_of(const model& model);

}  // namespace mlmq::selector
