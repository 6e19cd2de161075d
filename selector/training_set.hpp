// SPDX-License-Identifier: Apache-2.0
// What the selector learns from: graphs, candidate configurations, and the time each took on each.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mlmq::selector {

/// One value for each name in training_set::features; NaN: unknown. The model sees them rounded to float32.
using graph_features = std::vector<double>;

/// One problem instance: a graph with a source, or with several (mean_over_sources()).
struct graph_example {
  std::string name;         ///< unique in the set
  std::string group;        ///< instances of one group (same graph, other source or weights) stay in one fold
  std::string graph_class;  ///< for reports per class: "road", "power-law", …
  graph_features features;
  std::string graph = {};  ///< what the instances with other sources of the same graph have, too; "": there are none
};

/// One configuration that the selector may choose.
struct candidate {
  std::string label;                                            ///< unique in the set
  std::vector<std::pair<std::string, std::string>> parameters;  ///< inactive parameters are absent
};

/// The outcome of one configuration on one graph.
struct observation {
  std::size_t graph = 0;      ///< index into training_set::graphs
  std::size_t candidate = 0;  ///< index into training_set::candidates
  double milliseconds = 0;    ///< median time; read only when `ok`
  bool ok = false;            ///< false: the trial failed, its relative performance is 0
};

/// At most one observation per graph and candidate; pairs without one were not measured.
struct training_set {
  std::vector<std::string>
      features;  ///< names of what is known of the graphs; their order is that of the model's inputs
  std::vector<graph_example> graphs;
  std::vector<candidate> candidates;
  std::vector<observation> observations;
};

/// @throws input_error naming the graph or candidate: nothing to learn from, a name twice, a
/// feature (other than NaN, unknown) or time that is not a usable number, an index out of range, a pair observed twice.
void validate(const training_set& set);

/// Graphs by name, candidates by label, observations by graph and candidate: the same record in any
/// order gives the same model. The set must be valid.
[[nodiscard]] training_set in_canonical_order(const training_set& set);

/// The set with only these graphs, in the order given. Other graphs' observations are dropped.
[[nodiscard]] training_set keep_graphs(const training_set& set, std::span<const std::size_t> graphs);

/// The set with only these candidates, in the order given. Other candidates' observations are
/// dropped.
[[nodiscard]] training_set keep_candidates(const training_set& set, std::span<const std::size_t> candidates);

/// The set with only these features, in the order given. @throws input_error for one that it does not have, listing
/// those that it has
[[nodiscard]] training_set keep_features(const training_set& set, std::span<const std::string> names);

/// The values of the features named `wanted`, in that order, out of those named `names`; NaN for one that is not there.
[[nodiscard]] graph_features pick_features(std::span<const std::string> wanted, std::span<const std::string> names,
                                           std::span<const double> values);

/// The set with one instance for each graph, named as the graph, in canonical order: the time of a candidate is the mean
/// of its times from the graph's sources, a failure where one of them failed. A choice is for a graph, whose source it does
/// not know. So that means can be compared, a source from which fewer candidates were measured than from another one of
/// the same graph is left out, as is a candidate that was not measured from each of those that remain.
[[nodiscard]] training_set mean_over_sources(const training_set& set);

/// Content hash of everything in the set, independent of its order. 32 hexadecimal digits.
[[nodiscard]] std::string hash_of(const training_set& set);

/// Relative performance (MLMQ §5.5): best time on the graph / time of the candidate there, in
/// (0,1], 1 for the best.
class performance_matrix {
 public:
  /// The set must be valid.
  explicit performance_matrix(const training_set& set);

  [[nodiscard]] std::size_t graphs() const { return best_.size(); }
  [[nodiscard]] std::size_t candidates() const { return candidates_; }

  /// 0 when the trial failed or was never run: to choose that candidate is to have no answer.
  [[nodiscard]] double relative(std::size_t graph, std::size_t candidate) const;

  /// Whether there is an observation, be it a failure.
  [[nodiscard]] bool measured(std::size_t graph, std::size_t candidate) const;

  /// Whether any candidate succeeded on the graph. Without one there is no best time to compare
  /// with.
  [[nodiscard]] bool solved(std::size_t graph) const;

  /// The best time on the graph in milliseconds; infinity when not solved.
  [[nodiscard]] double best_milliseconds(std::size_t graph) const { return best_.at(graph); }

 private:
  std::size_t candidates_;
  std::vector<double> best_;      // one per graph
  std::vector<double> relative_;  // graph-major; negative: not measured
};

}  // namespace mlmq::selector
