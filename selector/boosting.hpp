// SPDX-License-Identifier: Apache-2.0
// Boosted trees with one vector of relative performances in each leaf.
//
// One tree per candidate would learn the same structure many times from little data. Instead, XGBoost grows each tree
// for a random projection of the residuals (the difference of two random candidates), and each leaf then gets the
// shrunk mean residual of every candidate.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "selector/trees.hpp"
#include "selector/xgboost_model.hpp"

namespace mlmq::selector {

/// Inputs and relative performances of the recorded workloads.
struct performance_rows {
  dense_matrix inputs;           ///< one row per workload; NaN: unknown
  std::size_t candidates = 0;    ///< at least 1
  std::vector<double> relative;  ///< rows × candidates: relative performance, 0 for a failure; negative: not measured
};

struct boosted_fit {
  std::vector<float> starts;        ///< per candidate: mean relative performance
  std::vector<learned_tree> trees;  ///< in units of `unit`
  float unit = 1;
  std::vector<double> importance;  ///< per input: share of the total gain of all splits
};

/// Returns the mean relative performance of each candidate over its measured workloads; 0 for a candidate without any.
[[nodiscard]] std::vector<float> mean_performance(const performance_rows& rows);

/// Fits boosted trees. The same rows and settings give the same bits.
///
/// @param settings rounds: number of trees; subsample: share of the rows that a tree's structure is learned from.
///   Leaves are eta × sum / (rows + lambda) over all rows.
/// @throws input_error for invalid settings, work_error with XGBoost's reason
[[nodiscard]] boosted_fit fit_boosted(const performance_rows& rows, const train_settings& settings);

}  // namespace mlmq::selector
