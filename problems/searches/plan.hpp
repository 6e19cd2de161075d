// SPDX-License-Identifier: Apache-2.0
// The plan of searches: ranks the solvers of a table (solver_table.hpp) by their expected cost (cost_model.hpp), around
// the candidates of a selector. problems::recommend() asks it for the problems sssp, bfs, sssp_batch and bfs_batch.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/recommendation_hook.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::problems {

/// Returns the hook of a problem, which has static storage. @param many from many vertices together
[[nodiscard]] const recommendation_hook& search_plan(search_kind kind, bool many);

/// Cost of copying data to a place.
struct transfer_cost {
  double array_ms = 0;  ///< per array: allocation and the latency of a copy
  double byte_ms = 0;

  [[nodiscard]] double copy_ms(unsigned arrays, double bytes) const { return arrays * array_ms + bytes * byte_ms; }
};

/// Returns the milliseconds to copy a graph to the place, unless it is resident, and to copy distances back.
/// @param weighted whether edges have weights
[[nodiscard]] double transfer_ms(const transfer_cost& cost, double vertices, double edges, bool weighted,
                                 bool is_resident);

/// A single search at one place: on a device, or on processors.
struct placed_search {
  double transfer_ms = 0;                          ///< for missing data, and to copy the answer back
  std::optional<double> search_ms = std::nullopt;  ///< measured on this graph, or expected; nothing: unknown

  /// Returns the time until the answer is known; without `search_ms` a lower bound.
  [[nodiscard]] double milliseconds() const { return transfer_ms + search_ms.value_or(0); }
};

/// Returns whether `other` is expected to give the answer before `usual`. If the time of the usual search is unknown,
/// only its transfer counts. @param other with a known time of the search
[[nodiscard]] inline bool is_sooner(const placed_search& other, const placed_search& usual) {
  return other.milliseconds() < usual.milliseconds();
}

/// Searches from one vertex at a time, of a graph that is prepared once.
struct prepared_search {
  std::string label;
  double preparation_ms = 0;  ///< expected
  double search_ms = 0;       ///< expected for a search
};

/// Returns single searches that sweep over an elimination hierarchy with all of the device; nothing if the graph does
/// not suit it, or if nothing is known of such a device. Looks for the order of the vertices in the cache folder.
/// @param feature returns a feature of the graph by its name; NaN: unknown
[[nodiscard]] std::optional<prepared_search> prepared_search_for(const std::function<double(std::string_view)>& feature,
                                                                 const graph::csr_graph& graph,
                                                                 const backends::device_info& device);

/// Returns the milliseconds that the processors of this machine are expected to need to split a graph into parts.
[[nodiscard]] double expected_split_ms(const graph::csr_graph& graph);
/// Returns the time if the graph has no hubs, without reading it.
[[nodiscard]] double least_split_ms(const graph::csr_graph& graph);

/// Removing leaves and chains from a graph.
struct expected_reduction {
  double milliseconds;
  double share;  ///< of the vertices and edges that are removed, by a sample
  /// Milliseconds of also removing vertices of low degree from the rest; nothing: little would be removed.
  std::optional<double> low_degree_ms;
};

/// @param graph  the graph that leaves and chains have been removed from; or the whole graph if it has few of them
/// @return milliseconds of removing vertices of low degree from it, for searches from one vertex; nothing if little
/// would
///   be removed, or on processors, whose searches all threads share: hops count less there
[[nodiscard]] std::optional<double> expect_low_degree_reduction(const graph::csr_graph& graph, search_kind kind,
                                                                const backends::device_info& device);

/// Returns what to expect of a reduction; nothing if the graph cannot be reduced, or if little of it would be removed.
[[nodiscard]] std::optional<expected_reduction> expect_reduction(const graph::csr_graph& graph, search_kind kind,
                                                                 const backends::device_info& device);

}  // namespace mlmq::problems
