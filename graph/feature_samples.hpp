// SPDX-License-Identifier: Apache-2.0
// The features that a bounded look around in a graph gives.
#pragma once

#include "graph/csr.hpp"
#include "graph/feature_list.hpp"

namespace mlmq::graph {

/// No more edges than this are looked at, however large the graph.
inline constexpr std::size_t sampled_edges_limit = 200'000;

/// Returns the vertex of largest out-degree, the lowest of several; 0 for a graph without vertices. A pass over the
/// graph finds it too; this function serves callers that sample concurrently with the pass.
[[nodiscard]] vertex_id widest_vertex(const csr_graph& graph);

/// The features of cost `sampling`. Deterministic: what is drawn depends on the numbers of vertices and edges alone.
/// @param widest a vertex of the largest degree, where the search for the far ends begins. Not read for a graph without
/// edges
[[nodiscard]] feature_values sampled_features(const csr_graph& graph, vertex_id widest);

}  // namespace mlmq::graph
