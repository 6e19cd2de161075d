// SPDX-License-Identifier: Apache-2.0
// How good the selector is on graphs that it has not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "selector/training_set.hpp"
#include "selector/xgboost_model.hpp"

namespace mlmq::selector {

struct evaluation_options {
  std::size_t folds = 5;   ///< at least 2; no more are made than there are groups
  std::uint64_t seed = 1;  ///< of the shuffle of the groups
  /// When set, each fold's training graphs first choose the candidates (covering_candidates()), as
  /// training with a reduced set will.
  std::optional<double> cover_tolerance;
};

/// What was chosen for one held-out graph, and what it was worth.
struct held_out_graph {
  std::string name;
  std::string graph_class;
  std::size_t fold = 0;
  std::string selected;       ///< the selector's candidate
  std::string fixed;          ///< the best fixed candidate of the fold's training graphs
  double selector_value = 0;  ///< relative performance of `selected`; 0: it failed or was never measured there
  double fixed_value = 0;     ///< relative performance of `fixed`, likewise
};

/// One strategy's score over some graphs.
struct strategy_score {
  double near_best = 0;      ///< share of the graphs with relative performance of at least 0.9 (MLMQ §5.5)
  double mean_relative = 0;  ///< mean relative performance
};

struct score_row {
  std::string graph_class;  ///< "" for all graphs
  std::size_t graphs = 0;
  strategy_score selector;
  strategy_score fixed;
  strategy_score oracle;  ///< the best candidate of each graph: 1 by definition
};

struct evaluation_report {
  std::size_t folds = 0;
  std::size_t unsolved = 0;              ///< graphs left out because no candidate succeeded on them
  std::vector<held_out_graph> graphs;    ///< by name; each graph is held out exactly once
  score_row overall;                     ///< over all of them
  std::vector<score_row> graph_classes;  ///< per class, by name
};

/// The fold of each graph: groups, never graphs, are shuffled and dealt out, so that no group is in
/// two folds. The same groups (in any order) and seed give the same folds on every machine.
/// @returns for each graph a number below min(folds, number of groups).
/// @throws input_error for fewer than 2 folds or fewer than 2 groups.
[[nodiscard]] std::vector<std::size_t> assign_folds(std::span<const graph_example> graphs, std::size_t folds,
                                                    std::uint64_t seed);

/// The candidate with the highest mean relative performance over all graphs of the matrix, counting
/// failures and pairs that were not measured as 0; of equals the lowest index.
[[nodiscard]] std::size_t best_fixed_candidate(const performance_matrix& performance);

/// The scores of the given choices.
[[nodiscard]] evaluation_report summarise(std::vector<held_out_graph> graphs, std::size_t folds, std::size_t unsolved);

/// Cross-validation: for each fold, a model trained on the graphs of the other folds chooses for
/// the fold's graphs, and so does the best fixed candidate of those other graphs. A choice that was
/// not measured on a graph scores 0 there, like a failure: nothing is known in its favour.
/// @throws input_error when the set is not valid or has fewer than 2 groups of solved graphs.
[[nodiscard]] evaluation_report evaluate(const training_set& set, const train_settings& settings,
                                         const evaluation_options& options);

/// The report as an aligned table, ending with a newline.
[[nodiscard]] std::string to_table(const evaluation_report& report);

}  // namespace mlmq::selector
