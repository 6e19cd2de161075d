// SPDX-License-Identifier: Apache-2.0
// Text of evaluations: tables for people, CSV for plots.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "selector/evaluate.hpp"
#include "selector/learning_curve.hpp"
#include "selector/strategy_score.hpp"

namespace mlmq::selector {

/// Formats the scores of all strategies as aligned tables, ending with a newline: by the mean over the queries of each
/// workload, on each query, by class and size, and the calibration of the methods.
[[nodiscard]] std::string to_table(const evaluation_report& report);

/// Formats one line per workload, repeat and strategy as RFC 4180: workload, group, class, repeat, fold, strategy,
/// choice, relative, predicted (empty if nothing was predicted).
[[nodiscard]] std::string to_csv(const evaluation_report& report);

/// Formats one line per point as RFC 4180, for plots/learning_curve.py.
[[nodiscard]] std::string to_csv(std::span<const curve_point> curve);

/// Formats a number with its interval: "1.041 (1.037–1.045)".
[[nodiscard]] std::string decimal_text(const estimate& number);
/// Formats a share with its interval in percent: "87.0 (85–89)".
[[nodiscard]] std::string percent_text(const estimate& share);

}  // namespace mlmq::selector
