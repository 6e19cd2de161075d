// SPDX-License-Identifier: Apache-2.0
// One search by one thread: what answers are checked against, and what a processor does with each of many sources.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "batches/batch_abi.cuh"
#include "cpu_solvers/search.hpp"
#include "graph/csr.hpp"

namespace mlmq::batches {

/// Dijkstra on a radix heap. For one thread; keeps its memory from search to search.
class sequential_search {
 public:
  /// What `graph` borrows outlives this. With weights of float64 its edges are wide_edge.
  explicit sequential_search(const cpu::search_graph& graph);
  sequential_search(sequential_search&&) noexcept;
  ~sequential_search();

  /// @param is_target a word for each vertex, 1 for targets; empty: there are none
  /// @param targets how many there are, each counted once; the search ends when all have been reached for good
  /// @param cutoff bits of a distance: vertices farther than this are not reached
  /// @param stop asked now and then; true ends the search, which then has no answer
  /// @return whether it ended by itself
  bool run(graph::vertex_id source, std::span<const std::uint8_t> is_target, std::size_t targets,
           graph::wide_distance_bits cutoff, const std::function<bool()>& stop);

  /// n words. After a search with targets those of other vertices are not final.
  [[nodiscard]] std::span<const graph::distance_bits> distances() const;
  /// The same of float64; of a type of 4 bytes there are none.
  [[nodiscard]] std::span<const graph::wide_distance_bits> wide_distances() const;
  /// Of all searches so far.
  [[nodiscard]] const cpu::work_counts& work() const;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The numbers of an answer.
[[nodiscard]] batch_answer answer_of(std::span<const graph::distance_bits> distances);
[[nodiscard]] batch_answer answer_of(std::span<const graph::wide_distance_bits> distances);

}  // namespace mlmq::batches
