// SPDX-License-Identifier: Apache-2.0
// How central vertices are: options and results of solver::betweenness().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mlmq/configuration.hpp"
#include "mlmq/graph.hpp"

namespace mlmq {

/// What a score adds up over.
enum class vertex_pairs {
  automatic,  ///< unordered in an undirected graph, in which every edge has one of the same weight back; else ordered
  ordered,    ///< from s to t and from t to s are two
  unordered,  ///< they are one, which halves the scores
};

struct betweenness_options {
  /// Empty: what suits the graph. Otherwise the first of these that the device can run, as text, such as
  /// "threads=512,blocks=2" (docs/parameters.md, sssp_betweenness); "" is all defaults.
  std::vector<std::string> configurations = {};

  /// Sources that are searched from, drawn at random without repetition among the vertices with out-edges: the scores are
  /// estimates then, as large on average as the exact ones. Absent, or as many as there are: all, and the scores are exact.
  std::optional<std::size_t> samples = std::nullopt;
  std::uint64_t seed = 1;  ///< of what is drawn; the first sources of more samples are those of fewer

  bool normalized = false;  ///< divided by the number of pairs that a score adds up over: scores are from 0 to 1
  bool endpoints = false;   ///< a path leads through its first and last vertex, too
  vertex_pairs pairs = vertex_pairs::automatic;  ///< of no effect on normalized scores

  /// For distances on the device. 0: a quarter of the device's memory, and 4 GiB at most. The scores do not depend on it.
  std::uint64_t memory_bytes = 0;
  double time_limit_ms = 600'000;  ///< for the sources that are searched from together, above 0
  bool check = false;              ///< find the scores once more on processors, in another way, and compare
};

/// How far betweenness() has come.
struct betweenness_progress {
  std::size_t sources_done = 0;
  std::size_t sources = 0;  ///< all that are to be searched from
  double seconds = 0;       ///< what the sources that are done took
};

/// Called when some sources are done, several times a minute on graphs that are not huge. @return false: to stop here.
/// What it throws ends the searches, and reaches the caller.
using follow_betweenness = std::function<bool(const betweenness_progress&)>;

/// The betweenness of every vertex v: the sum over all pairs of other vertices s and t, of the shortest paths from s to t the
/// part that leads through v.
struct betweenness_scores {
  std::vector<double> values;    ///< one for each vertex
  std::size_t sources = 0;       ///< that were searched from
  std::size_t population = 0;    ///< vertices with out-edges
  bool complete = true;          ///< false: follow_betweenness stopped it, and the values are estimates from `sources`
  bool unordered_pairs = false;  ///< what the values add up over, unless they are normalized
  mlmq::choice choice;
  solve_times times;  ///< sums

  /// Whether the values are exact, but for rounding; otherwise they are estimates.
  [[nodiscard]] bool exact() const noexcept { return sources == population; }
};

}  // namespace mlmq
