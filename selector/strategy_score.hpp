// SPDX-License-Identifier: Apache-2.0
// Scores of the strategies of an evaluation.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "selector/evaluate.hpp"

namespace mlmq::selector {

/// A number with its 95 % confidence interval.
struct estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Slowdown that counts for a choice without an answer, because there is no time to compare.
inline constexpr double failure_slowdown = 10;

/// One strategy's score over some workloads. Relative performance is the best time / the time of the choice.
struct strategy_score {
  std::size_t workloads = 0;
  double unmeasured = 0;        ///< share of choices without a measurement; they are in none of the other values
  estimate slowdown;            ///< geometric mean of time / best time; failure_slowdown for a failure
  double lowest_5_percent = 0;  ///< 5 % quantile of relative performance
  double lowest_1_percent = 0;  ///< 1 % quantile of relative performance
  estimate near_best;           ///< share with a relative performance of at least 0.9 (MLMQ §5.5)
  estimate mean_relative;       ///< mean relative performance; a failure counts as 0
  double failed = 0;            ///< share without an answer: into a limit, or another failure
  double worst = 0;             ///< lowest relative performance
};

/// Part of the workloads, and whether a choice is scored by the mean time over the queries or on each query.
struct score_scope {
  std::string_view workload_class = "";        ///< "": all
  std::optional<bool> is_generated = {};       ///< whether to count generated workloads, or those of files; absent: all
  std::optional<std::size_t> size_class = {};  ///< index into size_classes()
  bool on_each_query = false;
};

/// A range of the feature "nnz", the number of edges of a graph.
struct size_class {
  std::string_view name;
  double below = 0;  ///< smallest number of edges of the next class
};
[[nodiscard]] std::vector<size_class> size_classes();
/// Returns the size class of a workload; nothing without the feature "nnz".
[[nodiscard]] std::optional<std::size_t> size_class_of(const evaluation_report& report, std::size_t workload);

/// Computes the score over the workloads of a scope; several repeats of a workload count as their mean. The intervals
/// are bootstrapped over groups of workloads, because variants of one workload are not independent evidence. The same
/// report gives the same intervals.
/// @return nothing if the strategy was not scored on any workload of the scope
[[nodiscard]] std::optional<strategy_score> score_of(const evaluation_report& report, const strategy_choices& strategy,
                                                     const score_scope& scope = {});

/// Choices of a method whose predicted relative performance is in one range.
struct calibration_bin {
  double low = 0;
  double high = 0;
  std::size_t choices = 0;
  double predicted = 0;  ///< mean
  double relative = 0;   ///< mean, as measured
  double near_best = 0;  ///< share with a measured relative performance of at least 0.9
  std::size_t poor = 0;  ///< choices with a measured relative performance below 0.5
};
/// Returns the bins in ascending order; empty for a strategy that predicts nothing.
[[nodiscard]] std::vector<calibration_bin> calibration_of(const strategy_choices& strategy);

}  // namespace mlmq::selector
