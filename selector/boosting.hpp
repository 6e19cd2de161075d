// SPDX-License-Identifier: Apache-2.0
// Boosted trees with one vector of relative performances in each leaf.
//
// A tree for each candidate by itself would learn the same structure many times from little data. So each tree is grown by
// XGBoost for a random projection of what is left to learn, the difference of two random candidates, and its leaves are
// filled for all candidates together: with the mean of what is left, shrunk.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "selector/trees.hpp"
#include "selector/xgboost_model.hpp"

namespace mlmq::selector {

/// What is known of the recorded workloads.
struct performance_rows {
  dense_matrix inputs;           ///< one row for each workload; NaN: unknown
  std::size_t candidates = 0;    ///< at least 1
  std::vector<double> relative;  ///< rows × candidates: relative performance, 0 for a failure; negative: not measured
};

struct boosted_fit {
  std::vector<float> starts;        ///< per candidate: its mean relative performance
  std::vector<learned_tree> trees;  ///< in units of `unit`
  float unit = 1;
  std::vector<double> importance;  ///< per input: its share of what all splits together gained
};

/// The mean relative performance of each candidate where it was measured; 0 for one that never was.
[[nodiscard]] std::vector<float> mean_performance(const performance_rows& rows);

/// @param settings rounds are trees; subsample is the share of the rows that a tree's structure is learned from; leaves are
///   eta × sum / (rows + lambda) over all rows. The same rows and settings give the same bits.
/// @throws input_error for settings that make no sense, work_error with XGBoost's reason
[[nodiscard]] boosted_fit fit_boosted(const performance_rows& rows, const train_settings& settings);

}  // namespace mlmq::selector
