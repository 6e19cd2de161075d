// SPDX-License-Identifier: Apache-2.0
// Betweenness centrality: options and results of solver::betweenness().
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

/// The pairs of vertices that a score sums over.
enum class vertex_pairs {
  automatic,  ///< unordered if every edge has a reverse edge of the same weight; otherwise ordered
  ordered,    ///< (s, t) and (t, s) are two pairs
  unordered,  ///< (s, t) and (t, s) are one pair, which halves the scores
};

struct betweenness_options {
  /// Configurations to try, such as "threads=512,blocks=2" (docs/reference/parameters.md, sssp_betweenness); "" means
  /// all defaults. The first that the device can run is used. Empty: the model recommends configurations.
  std::vector<std::string> configurations = {};

  /// Number of sources, drawn at random without repetition among the vertices with out-edges. The scores are then
  /// unbiased estimates. Absent, or at least the number of such vertices: all, and the scores are exact.
  std::optional<std::size_t> samples = std::nullopt;
  std::uint64_t seed = 1;  ///< seed of the random order; fewer samples are a prefix of more samples

  bool normalized = false;                       ///< divide by the number of pairs: scores are from 0 to 1
  bool endpoints = false;                        ///< count the endpoints of a path as lying on it
  vertex_pairs pairs = vertex_pairs::automatic;  ///< no effect on normalized scores

  /// Device memory for distances. 0: a quarter of the device's memory, at most 4 GiB. The scores do not depend on it.
  std::uint64_t memory_bytes = 0;
  double time_limit_ms = 600'000;  ///< per batch of sources, above 0
  bool check = false;              ///< recompute the scores on processors with another algorithm, and compare
};

/// Progress of betweenness().
struct betweenness_progress {
  std::size_t sources_done = 0;
  std::size_t sources = 0;  ///< total number of sources
  double seconds = 0;       ///< time spent on the finished sources
};

/// Called after each batch of sources, several times per minute on all but huge graphs. @return false to stop. An
/// exception ends the searches and propagates to the caller.
using follow_betweenness = std::function<bool(const betweenness_progress&)>;

/// The betweenness of every vertex v: the sum, over all pairs of other vertices s and t, of the fraction of the
/// shortest paths from s to t that pass through v.
struct betweenness_scores {
  std::vector<double> values;  ///< one per vertex
  std::size_t sources = 0;     ///< number of sources searched
  std::size_t population = 0;  ///< number of vertices with out-edges
  bool complete = true;  ///< false if follow_betweenness stopped early; the values are then estimates from `sources`
  bool unordered_pairs = false;  ///< whether the pairs were unordered; not meaningful for normalized scores
  mlmq::choice choice;
  solve_times times;  ///< sums over all batches

  /// Returns whether the values are exact except for rounding; otherwise they are estimates.
  [[nodiscard]] bool exact() const noexcept { return sources == population; }
};

}  // namespace mlmq
