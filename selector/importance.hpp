// SPDX-License-Identifier: Apache-2.0
// Importance of a model's inputs.
#pragma once

#include <string>
#include <vector>

#include "selector/model_file.hpp"

namespace mlmq::selector {

struct input_importance {
  std::string name;
  /// Share of the input, in [0,1]. For trees: the share of the loss reduction by all splits (in a forest, splits on
  /// candidates' parameters have the rest). For a kernel fit: the share of the changes in the scores of the recorded
  /// workloads when features become unknown.
  double share = 0;
};

/// Returns all inputs of the model, the most important first; equal ones are in the model's order. The importance shows
/// which inputs the model uses, not what the model would lose without them: of two equivalent inputs, one may have the
/// whole share.
[[nodiscard]] std::vector<input_importance> importance_of(const model& model);

}  // namespace mlmq::selector
