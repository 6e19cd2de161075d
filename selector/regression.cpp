// SPDX-License-Identifier: Apache-2.0
#include "selector/regression.hpp"

#include <string>

#include "selector/xgboost_model.hpp"

namespace mlmq::selector {

tuner::regression boosted_trees() {
  return [](const tuner::number_table& training, std::span<const float> labels, const tuner::number_table& queries) {
    const train_settings settings{.rounds = 40, .max_depth = 4, .eta = 0.25, .min_child_weight = 1};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < training.columns; ++i) names.push_back(std::to_string(i));
    return xgboost_model::train({training.rows(), training.columns, training.values}, labels, names, settings)
        .predict({queries.rows(), queries.columns, queries.values});
  };
}

}  // namespace mlmq::selector
