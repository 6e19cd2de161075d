// SPDX-License-Identifier: Apache-2.0
// The searches of backends/cpu/searches/ for weights and distances of 8 bytes: the same algorithms under the same
// names. In a separate folder, because the source hash of the other solvers identifies their recorded results.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "backends/cpu/searches/search.hpp"
#include "backends/cpu/searches/thread_team.hpp"
#include "graph/csr.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::cpu {

using graph::wide_edge;

/// A search_request whose graph has `edges` of wide_edge, and whose `distances` are not used.
struct wide_request {
  search_request search;
  graph::wide_distance_bits* distances =
      nullptr;  ///< n words, all of which are written; graph::wide_unreached without a path
};

/// An algorithm with memory that it reuses between searches. Runs one search at a time.
class wide_solver {
 public:
  virtual ~wide_solver() = default;
  /// Searches. Distances are bit for bit those of graph::wide_dijkstra, for any number of threads. @throws
  /// std::bad_alloc
  [[nodiscard]] virtual search_result run(thread_team& team, const wide_request& request) = 0;
};

/// Creates `boost_dijkstra`, `dijkstra` or `delta_stepping`; null for another name.
[[nodiscard]] std::unique_ptr<wide_solver> make_wide_solver(std::string_view name);

/// Factories of the solvers.
[[nodiscard]] std::unique_ptr<wide_solver> make_wide_boost_dijkstra();
[[nodiscard]] std::unique_ptr<wide_solver> make_wide_dijkstra();
[[nodiscard]] std::unique_ptr<wide_solver> make_wide_delta_stepping();

/// The rows of a search_graph with wide_edge.
template <class Offset>
class wide_rows {
 public:
  explicit wide_rows(const search_graph& graph) noexcept
      : offsets_(static_cast<const Offset*>(graph.offsets)), edges_(static_cast<const wide_edge*>(graph.edges)) {}
  [[nodiscard]] std::span<const wide_edge> row(graph::vertex_id v) const noexcept {
    return {edges_ + offsets_[v], edges_ + offsets_[v + std::size_t{1}]};
  }
  /// Prefetches the offsets of the row.
  void prefetch_row(graph::vertex_id v) const noexcept { __builtin_prefetch(offsets_ + v); }
  /// Prefetches the first edges of the row; waits for its offsets.
  void prefetch_edges(graph::vertex_id v) const noexcept { __builtin_prefetch(edges_ + offsets_[v]); }

 private:
  const Offset* offsets_;
  const wide_edge* edges_;
};

}  // namespace mlmq::cpu
