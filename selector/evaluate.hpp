// SPDX-License-Identifier: Apache-2.0
// Evaluates selectors on workloads that they were not trained on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
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
  /// Groups of workloads to evaluate on. All other groups are training data in every fold. Empty: all groups.
  std::set<std::string> test_groups = {};
  /// If set, each fold first reduces the candidates with covering_candidates() on its training workloads, like training
  /// with a reduced set.
  std::optional<double> cover_tolerance = std::nullopt;
  std::size_t most_candidates = 0;  ///< with a tolerance: maximum number of candidates; 0: no limit
  /// Each number N (at least 1) adds one strategy per method: the N best-ranked candidates are timed on one query, and
  /// the fastest of them is used, and scored, on the other queries of the workload.
  std::vector<std::size_t> tries = {};
  /// If not 0, each number in `tries` adds another strategy per method: candidates race on N times this many
  /// further queries (race.hpp), simulated from the variation on record, and the winner is scored by the mean time.
  std::size_t try_queries = 0;
  /// Rules of thumb to compare with. One that covers no candidate is left out.
  std::vector<const rule_of_thumb*> rules = {};
  double train_share = 1;  ///< share of each fold's training groups to learn from, in (0,1]
  /// Called after each fold with the number of finished folds and the total.
  std::function<void(std::size_t, std::size_t)> on_progress = {};
};

/// The choice of a strategy for one held-out workload, and its performance.
struct held_out_choice {
  std::string selected;                     ///< label of the candidate
  double relative = 0;                      ///< relative performance, by the mean time over the queries; 0: a failure
  std::size_t fold = 0;                     ///< fold in which the workload was held out
  std::optional<double> predicted = {};     ///< relative performance that the model predicted
  std::vector<double> query_relative = {};  ///< relative performance on each query by itself
  std::size_t tried_queries = 0;            ///< number of simulated queries that the choice is based on
  bool measured = true;                     ///< false: nothing is known about the choice on this workload
};

/// All choices of one strategy, over all workloads and repeats.
struct strategy_choices {
  std::string name;
  /// In the order of evaluation_report::workloads; one choice per repeat. Empty for a workload that the strategy
  /// cannot be scored on.
  std::vector<std::vector<held_out_choice>> workloads;
};

/// A rule of thumb that was evaluated.
struct rule_record {
  const rule_of_thumb* rule = nullptr;
  std::size_t off_record = 0;  ///< number of its choices that are not on record
};

struct evaluation_report {
  std::size_t folds = 0;
  std::size_t repeats = 0;
  std::size_t unsolved = 0;                 ///< workloads left out because no candidate succeeded on them
  std::size_t training_only = 0;            ///< workloads of groups that are not evaluated
  std::vector<rule_record> rules = {};      ///< the rules of thumb among the strategies
  double mean_candidates = 0;               ///< candidates that a fold's methods chose from, on average
  double mean_training_workloads = 0;       ///< workloads that a fold learned from, on average
  std::vector<std::string> features = {};   ///< names of the features of the workloads
  std::vector<workload_example> workloads;  ///< by name; each is held out once in every repeat
  std::vector<strategy_choices> strategies;

  /// @throws std::invalid_argument for an unknown name
  [[nodiscard]] const strategy_choices& strategy(std::string_view name) const;
};

/// Names of the strategies that every report has. The strategy of a method has the method's name.
inline constexpr std::string_view best_fixed_name = "best fixed";
inline constexpr std::string_view small_tree_name = "tree, 8 leaves";
inline constexpr std::string_view best_candidate_name = "best candidate";
inline constexpr std::string_view oracle_name = "oracle";
/// Names of strategies that only some reports have: with several queries per workload, and with the spread of times.
inline constexpr std::string_view swept_query_name = "one query swept";
inline constexpr std::string_view measured_oracle_name = "oracle, with noise";

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
/// For each fold, models trained on the other folds choose for the fold's workloads. A choice is scored by the mean
/// time over the workload's queries, and on each query by itself. The reference strategies are:
/// - the best fixed candidate of the other folds, a small decision tree (small_tree.hpp), and the rule of thumb;
/// - the best of the candidates that the fold's methods choose from, and the best of all candidates, which know the
///   times; the latter also with noise: it knows times that were measured again, simulated from the recorded spread;
/// - the best of all candidates on one query, scored on the others (what a sweep of one query gives).
/// A choice without a measurement on a workload is marked: it is no failure.
/// @param set one instance per workload and query, or mean_over_queries()
/// @param methods strategy names are to_string(method), with "+N" for further methods of the same kind
/// @throws input_error if the set is not valid, has fewer than 2 groups of solved workloads, or lacks a test group
[[nodiscard]] evaluation_report evaluate(const training_set& set, std::span<const learning> methods,
                                         const evaluation_options& options);

}  // namespace mlmq::selector
