// SPDX-License-Identifier: Apache-2.0
// What selectors choose for the workloads on record, and what that costs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/result_set.hpp"

namespace mlmq::report {

/// What one selector chose for one workload.
struct selector_choice {
  std::string configuration;  ///< label; empty: it chose nothing
  double relative = 0;        ///< best time / its time; 0: it failed there or was not measured
};

struct judged_selector {
  std::string name;
  std::string meaning;                   ///< a sentence
  std::vector<selector_choice> choices;  ///< one for each of selector_judgement::workloads
};

struct judged_workload {
  std::size_t workload = 0;  ///< index into result_set::workloads
  std::string best;          ///< label of the fastest configuration
  double best_ms = 0;        ///< its mean time over the workload's queries
};

struct selector_judgement {
  std::string nothing;  ///< why there is nothing to judge; "": there is
  std::vector<std::string> notes;
  std::vector<judged_workload> workloads;
  std::vector<judged_selector> selectors;
};

struct judgement_options {
  std::size_t folds = 5;
  std::uint64_t seed = 1;
  /// One more selector to judge, or a tuned one, whose own evaluation is shown. Without one, tuned_file_name in the
  /// folder of the database.
  std::optional<std::string> model_file;
};

/// The selector that is learned from this record, judged by cross-validation; the selector that comes with the program, where
/// it has one for the problem; the best fixed configuration; and the model of a file. A workload counts by the mean of its
/// times over its queries. Where 'mlmq tune' has judged selectors on this record, its evaluation takes the place of all these.
/// @throws input_error for a model file that cannot be used
[[nodiscard]] selector_judgement judge_selectors(const std::string& database, const result_set& set,
                                                 const judgement_options& options);

}  // namespace mlmq::report
