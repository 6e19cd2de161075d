// SPDX-License-Identifier: Apache-2.0
// Evaluates the choices of selectors for the recorded workloads.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "report/result_set.hpp"

namespace mlmq::report {

/// The choice of one selector for one workload.
struct selector_choice {
  std::string configuration;  ///< label; empty: no choice
  /// Best time / time of the configuration; 0 if it failed, NaN if it was not measured.
  double relative = std::numeric_limits<double>::quiet_NaN();
};

struct evaluated_selector {
  std::string name;
  std::string meaning;                   ///< description in one sentence
  std::string training = {};             ///< warning that the selector may know the workloads; "" if it does not
  std::vector<selector_choice> choices;  ///< one per entry of selector_evaluation::workloads
};

struct evaluated_workload {
  std::size_t workload = 0;  ///< index into result_set::workloads
  std::string best;          ///< label of the fastest configuration
  double best_ms = 0;        ///< its mean time over the workload's queries
};

struct selector_evaluation {
  std::string missing_reason;  ///< reason why no evaluation is possible; "" if it is possible
  std::vector<std::string> notes;
  std::vector<evaluated_workload> workloads;
  std::vector<evaluated_selector> selectors;
};

struct selector_evaluation_options {
  std::size_t folds = 5;
  std::uint64_t seed = 1;
  /// An additional selector to evaluate, or a tuned one, whose own evaluation is shown. Default: tuned_file_name in the
  /// folder of the database.
  std::optional<std::string> model_file;
};

/// Evaluates several selectors: one learned from this record, by cross-validation; the one that is shipped with the
/// program, if it has one for the problem; the best fixed configuration; and the model of a file. A workload counts
/// with the mean time over its queries. If 'mlmq tune' has evaluated selectors on this record, its evaluation replaces
/// all of these.
/// @throws input_error for an unusable model file
[[nodiscard]] selector_evaluation evaluate_selectors(const std::string& database, const result_set& set,
                                                     const selector_evaluation_options& options);

}  // namespace mlmq::report
