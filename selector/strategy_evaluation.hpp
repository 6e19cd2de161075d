// SPDX-License-Identifier: Apache-2.0
// Cross-validated scores of several strategies to choose a configuration. They are computed once and then only
// displayed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mlmq::selector {

/// Scores of one strategy on workloads that it did not learn from. A workload counts with the mean over its choices.
struct strategy_evaluation {
  std::string name;          ///< display name: "new selector"
  double mean_relative = 0;  ///< best time / time of the choice, averaged over the workloads; a failure counts as 0
  double near_best = 0;      ///< share of the workloads within 0.9 of the best
  double worst = 0;          ///< the lowest of all workloads
  /// Per workload: one candidate per repetition of the cross-validation, as an index. Empty for "best measured".
  std::vector<std::vector<std::size_t>> choices = {};
  std::vector<double> relative = {};  ///< per workload; the numbers above are computed from these
};

/// The scores of all strategies, with what they were computed from.
struct strategy_evaluations {
  std::string selector_strategy = {};       ///< name of the strategy that corresponds to the selector in the same file
  std::vector<std::string> workloads = {};  ///< "NAME (first digits of the hash)"
  std::vector<std::string> configurations = {};      ///< labels that strategy_evaluation::choices refers to
  std::vector<strategy_evaluation> strategies = {};  ///< empty if there were too few workloads

  /// Returns the strategy with this name, or null.
  [[nodiscard]] const strategy_evaluation* find(const std::string& name) const {
    for (const strategy_evaluation& strategy : strategies) {
      if (strategy.name == name) return &strategy;
    }
    return nullptr;
  }
};

}  // namespace mlmq::selector
