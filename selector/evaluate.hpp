// SPDX-License-Identifier: Apache-2.0
// Evaluates selectors on workloads that they were not trained on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selector/method.hpp"
#include "selector/rule_of_thumb.hpp"
#include "selector/training_set.hpp"

namespace mlmq::selector {

struct evaluation_options {
  std::size_t folds = 5;    ///< at least 2; limited to the number of groups
  std::size_t repeats = 1;  ///< number of whole cross-validations, each with its own folds; at least 1
  std::uint64_t seed = 1;   ///< seed of the first shuffle of the groups; each repeat adds 1
  /// If set, each fold first reduces the candidates with covering_candidates() on its training workloads, like training
  /// with a reduced set.
  std::optional<double> cover_tolerance = std::nullopt;
  std::size_t most_candidates = 0;  ///< with a tolerance: maximum number of candidates; 0: no limit
  /// Each number N (at least 1) adds one strategy per method: the fastest of the N best-ranked candidates.
  std::vector<std::size_t> tries = {};
  /// A rule of thumb to compare with, where it applies; null: none.
  const rule_of_thumb* rule = nullptr;
  double train_share = 1;  ///< share of each fold's training groups to learn from, in (0,1]
  /// Called after each fold with the number of finished folds and the total.
  std::function<void(std::size_t, std::size_t)> on_progress = {};
};

/// The choice of a strategy for one held-out workload, and its performance.
struct held_out_choice {
  std::string selected;  ///< label of the candidate
  double relative = 0;   ///< its relative performance; 0: it failed or was never measured there
  std::size_t fold = 0;  ///< fold in which the workload was held out
};

/// All choices of one strategy, over all workloads and repeats.
struct strategy_choices {
  std::string name;
  std::vector<std::vector<held_out_choice>> workloads;  ///< as evaluation_report::workloads; one choice per repeat
};

struct evaluation_report {
  std::size_t folds = 0;
  std::size_t repeats = 0;
  std::size_t unsolved = 0;                 ///< workloads left out because no candidate succeeded on them
  std::string rule = {};                    ///< name of the rule of thumb among the strategies; "": none
  std::string rule_names = {};              ///< plural noun for the things that the rule chooses: "queues"
  std::size_t rule_off_record = 0;          ///< number of its choices that are not on record
  double mean_candidates = 0;               ///< candidates that a fold's methods chose from, on average
  double mean_training_workloads = 0;       ///< workloads that a fold learned from, on average
  std::vector<workload_example> workloads;  ///< by name; each is held out once in every repeat
  std::vector<strategy_choices> strategies;

  /// @throws std::invalid_argument for an unknown name
  [[nodiscard]] const strategy_choices& strategy(std::string_view name) const;
};

/// A number with its 95 % confidence interval.
struct estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// One strategy's score over some workloads; several repeats of a workload count as their mean.
struct strategy_score {
  estimate near_best;      ///< share of the workloads with relative performance of at least 0.9 (MLMQ §5.5)
  estimate within_095;     ///< share of the workloads with relative performance of at least 0.95
  estimate mean_relative;  ///< mean relative performance
  double worst = 0;        ///< lowest relative performance of any workload and repeat
};

/// Names of the strategies that every report has. The strategy of a method has the method's name.
inline constexpr std::string_view best_fixed_name = "best fixed";
inline constexpr std::string_view best_candidate_name = "best candidate";
inline constexpr std::string_view oracle_name = "oracle";

/// Assigns each workload to a fold. Whole groups are shuffled and dealt out, so no group is in two folds. The same
/// groups (in any order) and seed give the same folds on every machine.
/// @returns one number per workload, below min(folds, number of groups)
/// @throws input_error for fewer than 2 folds or fewer than 2 groups.
[[nodiscard]] std::vector<std::size_t> assign_folds(std::span<const workload_example> workloads, std::size_t folds,
                                                    std::uint64_t seed);

/// Returns the candidate with the highest mean relative performance over all workloads of the matrix. Failures and
/// pairs without a measurement count as 0; ties go to the lowest index.
[[nodiscard]] std::size_t best_fixed_candidate(const performance_matrix& performance);

/// Cross-validates methods and reference strategies.
///
/// For each fold, models trained on the other folds choose for the fold's workloads. The reference strategies are the
/// best fixed candidate of the other folds, the rule of thumb, and two that know the times: the best of the candidates
/// that the fold's methods choose from, and the best of all candidates. A choice without a measurement on a workload
/// scores 0, like a failure.
/// @param methods strategy names are to_string(method), with "+N" for further methods of the same kind
/// @throws input_error if the set is not valid or has fewer than 2 groups of solved workloads
[[nodiscard]] evaluation_report evaluate(const training_set& set, std::span<const learning> methods,
                                         const evaluation_options& options);

/// Computes the score over the workloads of one class ("": all). The intervals are bootstrapped over groups of
/// workloads, because variants of one workload are not independent evidence. The same report gives the same intervals.
[[nodiscard]] strategy_score score_of(const evaluation_report& report, const strategy_choices& strategy,
                                      std::string_view workload_class = "");

/// Formats the scores of all strategies and their losses per class as aligned tables, ending with a newline.
[[nodiscard]] std::string to_table(const evaluation_report& report);

/// Formats one line per workload, repeat and strategy as RFC 4180: workload, group, class, repeat, fold, strategy,
/// choice, relative.
[[nodiscard]] std::string to_csv(const evaluation_report& report);

/// A point of the learning curve: cross-validation with a share of the training workloads.
struct curve_point {
  double share = 0;
  double training_workloads = 0;  ///< on average
  strategy_score selector;        ///< score of the method
  strategy_score candidates;      ///< score of the best of the candidates that the method could choose from
};
[[nodiscard]] std::vector<curve_point> learning_curve(const training_set& set, const learning& learned,
                                                      evaluation_options options, std::span<const double> shares);
/// Formats one line per point as RFC 4180, for plots/learning_curve.py.
[[nodiscard]] std::string to_csv(std::span<const curve_point> curve);

}  // namespace mlmq::selector
