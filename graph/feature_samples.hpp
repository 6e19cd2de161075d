// SPDX-License-Identifier: Apache-2.0
// Features that are computed from a bounded sample of a graph.
#pragma once

#include "graph/csr.hpp"
#include "graph/feature_list.hpp"

namespace mlmq::graph {

/// Maximum number of edges that are inspected, however large the graph is.
inline constexpr std::size_t sampled_edges_limit = 200'000;

/// Returns the vertex with the largest out-degree, the lowest one if there are several; 0 for a graph without vertices.
/// A pass over the graph also finds this vertex; this function serves callers that sample concurrently with the pass.
[[nodiscard]] vertex_id widest_vertex(const csr_graph& graph);

/// Computes the features of cost `sampling`. Deterministic: the sample depends only on the numbers of vertices and
/// edges.
/// @param widest a vertex with the largest degree, from which the search for distant vertices starts. Ignored for a
///   graph without edges.
[[nodiscard]] feature_values sampled_features(const csr_graph& graph, vertex_id widest);

}  // namespace mlmq::graph
