// SPDX-License-Identifier: Apache-2.0
// Graphs as betweenness sees them: a path is a list of vertices, so that parallel edges make no further paths.
#pragma once

#include <string_view>

#include "graph/csr.hpp"

namespace mlmq::centrality {

/// Why shortest paths of such a graph are not counted.
inline constexpr std::string_view no_float64 =
    "betweenness has distances of 4 bytes, and the weights are float64: use whole weights or float32";

/// The graph (its ids too) without self-loops and, of parallel edges, with a lightest one alone. The same arrays when it is
/// like that already.
[[nodiscard]] graph::csr_graph simple_graph(const graph::csr_graph& graph);

/// Whether every edge has one of the same weight back: the graph is undirected. @param graph a simple one
[[nodiscard]] bool is_undirected(const graph::csr_graph& graph);

}  // namespace mlmq::centrality
