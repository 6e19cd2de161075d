// SPDX-License-Identifier: Apache-2.0
// Cross-validation with fewer training workloads: whether more of them would improve a selector.
#pragma once

#include <span>
#include <vector>

#include "selector/evaluate.hpp"
#include "selector/strategy_score.hpp"

namespace mlmq::selector {

/// A point of the learning curve: cross-validation with a share of the training workloads.
struct curve_point {
  double share = 0;
  double training_workloads = 0;  ///< on average
  strategy_score selector;        ///< score of the method
  strategy_score candidates;      ///< score of the best of the candidates that the method could choose from
};

/// Evaluates the method once per share, which replaces options.train_share. Progress counts the folds of all shares.
[[nodiscard]] std::vector<curve_point> learning_curve(const training_set& set, const learning& learned,
                                                      evaluation_options options, std::span<const double> shares);

}  // namespace mlmq::selector
