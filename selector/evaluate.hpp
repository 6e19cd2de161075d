// SPDX-License-Identifier: Apache-2.0
// How good the selector is on workloads that it has not seen.
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
  std::size_t folds = 5;    ///< at least 2; no more are made than there are groups
  std::size_t repeats = 1;  ///< whole cross-validations, each with folds of its own; at least 1
  std::uint64_t seed = 1;   ///< of the first shuffle of the groups; the next repeat has the next seed
  /// When set, each fold's training workloads first choose the candidates (covering_candidates()), as
  /// training with a reduced set will.
  std::optional<double> cover_tolerance = std::nullopt;
  std::size_t most_candidates = 0;  ///< with a tolerance: no more than these; 0: no limit
  /// For each number, at least 1, a strategy more for each method: the fastest of so many that it ranks first.
  std::vector<std::size_t> tries = {};
  /// One more to compare with, where it applies; null: none.
  const rule_of_thumb* rule = nullptr;
  double train_share = 1;  ///< share of each fold's training groups that are learned from, in (0,1]
  /// Called after each fold with the numbers of finished and of all folds.
  std::function<void(std::size_t, std::size_t)> on_progress = {};
};

/// What a strategy chose for one held-out workload, and what it was worth.
struct held_out_choice {
  std::string selected;  ///< the candidate
  double relative = 0;   ///< its relative performance; 0: it failed or was never measured there
  std::size_t fold = 0;  ///< in which the workload was held out
};

/// One way to choose, over all workloads and repeats.
struct strategy_choices {
  std::string name;
  std::vector<std::vector<held_out_choice>> workloads;  ///< as evaluation_report::workloads; one choice per repeat
};

struct evaluation_report {
  std::size_t folds = 0;
  std::size_t repeats = 0;
  std::size_t unsolved = 0;                 ///< workloads left out because no candidate succeeded on them
  std::string rule = {};                    ///< the rule of thumb among the strategies; "": none
  std::string rule_names = {};              ///< what it names: "queues"
  std::size_t rule_off_record = 0;          ///< its choices of what is not on record
  double mean_candidates = 0;               ///< how many candidates a fold's methods chose from, on average
  double mean_training_workloads = 0;       ///< how many workloads a fold learned from, on average
  std::vector<workload_example> workloads;  ///< by name; each is held out once in every repeat
  std::vector<strategy_choices> strategies;

  /// @throws std::invalid_argument when there is none of this name
  [[nodiscard]] const strategy_choices& strategy(std::string_view name) const;
};

/// A number with an interval that holds it with 95 %.
struct estimate {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// One strategy's score over some workloads; several repeats of a workload count as their mean.
struct strategy_score {
  estimate near_best;      ///< share of the workloads with relative performance of at least 0.9 (MLMQ §5.5)
  estimate within_095;     ///< likewise of at least 0.95
  estimate mean_relative;  ///< mean relative performance
  double worst = 0;        ///< the lowest of any workload and repeat
};

/// The names of the strategies that are always there. A method's is its name.
inline constexpr std::string_view best_fixed_name = "best fixed";
inline constexpr std::string_view best_candidate_name = "best candidate";
inline constexpr std::string_view oracle_name = "oracle";

/// The fold of each workload: groups, never workloads, are shuffled and dealt out, so that no group is in
/// two folds. The same groups (in any order) and seed give the same folds on every machine.
/// @returns for each workload a number below min(folds, number of groups).
/// @throws input_error for fewer than 2 folds or fewer than 2 groups.
[[nodiscard]] std::vector<std::size_t> assign_folds(std::span<const workload_example> workloads, std::size_t folds,
                                                    std::uint64_t seed);

/// The candidate with the highest mean relative performance over all workloads of the matrix, counting
/// failures and pairs that were not measured as 0; of equals the lowest index.
[[nodiscard]] std::size_t best_fixed_candidate(const performance_matrix& performance);

/// Cross-validation: for each fold, models trained on the workloads of the other folds choose for the fold's workloads, and so
/// do the best fixed candidate of those other workloads, the rule of thumb, and two that know the times: the best of the
/// candidates that the fold's methods choose from, and the best of all. A choice that was not measured on a workload scores
/// 0 there, like a failure: nothing is known in its favour.
/// @param methods names are those of to_string(method), with "+" and a number for the second of one method and so on
/// @throws input_error when the set is not valid or has fewer than 2 groups of solved workloads.
[[nodiscard]] evaluation_report evaluate(const training_set& set, std::span<const learning> methods,
                                         const evaluation_options& options);

/// The score over the workloads of one class ("": of all). The intervals are bootstrapped over groups of workloads: variants of
/// one workload are no independent evidence. The same report gives the same intervals.
[[nodiscard]] strategy_score score_of(const evaluation_report& report, const strategy_choices& strategy,
                                      std::string_view workload_class = "");

/// Scores of all strategies over all workloads, and what each loses per class, as aligned tables, ending with a newline.
[[nodiscard]] std::string to_table(const evaluation_report& report);

/// One line per workload, repeat and strategy: workload, group, class, repeat, fold, strategy, choice, relative. RFC 4180.
[[nodiscard]] std::string to_csv(const evaluation_report& report);

/// The same cross-validation with growing shares of the training workloads: would more workloads help?
struct curve_point {
  double share = 0;
  double training_workloads = 0;  ///< on average
  strategy_score selector;        ///< of the method
  strategy_score candidates;      ///< of the best of the candidates that it could choose from
};
[[nodiscard]] std::vector<curve_point> learning_curve(const training_set& set, const learning& learned,
                                                      evaluation_options options, std::span<const double> shares);
/// One line per point, RFC 4180; plots/learning_curve.py draws it.
[[nodiscard]] std::string to_csv(std::span<const curve_point> curve);

}  // namespace mlmq::selector
