// SPDX-License-Identifier: Apache-2.0
// A search with one thread: the reference for checks, and the search of the solver for processors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "graph/csr.hpp"
#include "multi_source/multi_source_abi.cuh"

namespace mlmq::multi_source {

/// Dijkstra's algorithm with a radix heap. For one thread; reuses its memory between searches.
class sequential_search {
 public:
  /// @param graph the arrays that it borrows must outlive the object; with float64 weights its edges are wide_edge
  explicit sequential_search(const cpu::search_graph& graph);
  sequential_search(sequential_search&&) noexcept;
  ~sequential_search();

  /// Searches from a source.
  /// @param is_target one byte per vertex, 1 for targets; empty: no targets
  /// @param targets number of different targets; the search ends when all their distances are final
  /// @param cutoff bits of a distance; vertices beyond it are not reached
  /// @param stop called periodically; true ends the search without an answer
  /// @return false if `stop` ended the search
  bool run(graph::vertex_id source, std::span<const std::uint8_t> is_target, std::size_t targets,
           graph::wide_distance_bits cutoff, const std::function<bool()>& stop) {
    const graph::seed_vertex seed{.vertex = source, .distance = 0};
    return run(std::span(&seed, 1), is_target, targets, cutoff, stop);
  }
  /// Searches from several vertices, each with a distance. @param seeds  none: no vertex is reached
  bool run(std::span<const graph::seed_vertex> seeds, std::span<const std::uint8_t> is_target, std::size_t targets,
           graph::wide_distance_bits cutoff, const std::function<bool()>& stop);

  /// Returns n distances of a 4-byte type, and the mark of an unreached vertex behind them in memory. After a search
  /// with targets, the distances of other vertices are not final.
  [[nodiscard]] std::span<const graph::distance_bits> distances() const;
  /// The same for float64. @return none for a 4-byte type
  [[nodiscard]] std::span<const graph::wide_distance_bits> wide_distances() const;
  /// Returns the work of all searches so far.
  [[nodiscard]] const cpu::work_counts& work() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Computes the summary of an answer.
[[nodiscard]] multi_source_answer answer_of(std::span<const graph::distance_bits> distances);
[[nodiscard]] multi_source_answer answer_of(std::span<const graph::wide_distance_bits> distances);

}  // namespace mlmq::multi_source
