// SPDX-License-Identifier: Apache-2.0
// Betweenness with one thread, one source at a time; used by the solver for processors.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "backends/cpu/searches/search.hpp"
#include "problems/betweenness/scores.hpp"

namespace mlmq::betweenness {

/// Dijkstra's algorithm, then Brandes' sums. For one thread; reuses its memory between sources.
class sequential_betweenness {
 public:
  /// @param graph has no parallel edges or self-loops; the arrays that it borrows must outlive the object
  explicit sequential_betweenness(const cpu::search_graph& graph);
  sequential_betweenness(sequential_betweenness&&) noexcept;
  ~sequential_betweenness();

  /// Sets all scores to 0.
  void clear();

  /// Adds the scores of a source to those of earlier sources.
  /// @param endpoints whether a path also counts for its end vertices
  /// @param stop called periodically; true ends the search without adding anything
  /// @param[out] fault the reason if nothing was added
  /// @return false if `stop` ended the search
  bool add(graph::vertex_id source, bool endpoints, const score_units& units, const std::function<bool()>& stop,
           path_fault& fault);

  /// Returns the sums, one per vertex.
  [[nodiscard]] std::span<const fixed_score> scores() const;
  /// Returns the work of all sources so far, including that for the scores.
  [[nodiscard]] cpu::work_counts work() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace mlmq::betweenness
