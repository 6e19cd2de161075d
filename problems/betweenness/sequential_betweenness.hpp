// SPDX-License-Identifier: Apache-2.0
// Betweenness by one thread, a source at a time: what a processor does.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "cpu_solvers/search.hpp"
#include "problems/betweenness/scores.hpp"

namespace mlmq::centrality {

/// Dijkstra's algorithm, then Brandes' sums. For one thread; keeps its memory from source to source.
class sequential_betweenness {
 public:
  /// What `graph` borrows outlives this. It has no parallel edges and no self-loops.
  explicit sequential_betweenness(const cpu::search_graph& graph);
  sequential_betweenness(sequential_betweenness&&) noexcept;
  ~sequential_betweenness();

  /// Forgets all scores.
  void clear();

  /// Adds the scores of a source to those of the sources before.
  /// @param endpoints whether a path counts for its ends, too
  /// @param stop asked now and then; true ends the search, of which nothing is added
  /// @param fault why there are no scores, if there are none
  /// @return whether it ended by itself
  bool add(graph::vertex_id source, bool endpoints, const score_units& units, const std::function<bool()>& stop,
           path_fault& fault);

  /// Sums, one for each vertex.
  [[nodiscard]] std::span<const fixed_score> scores() const;
  /// Of all sources so far, what the scores took included.
  [[nodiscard]] cpu::work_counts work() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace mlmq::centrality
