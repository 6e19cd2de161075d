// SPDX-License-Identifier: Apache-2.0
// Simple graphs for betweenness: a path is a list of vertices, so parallel edges do not add paths.
#pragma once

#include <string_view>

#include "graph/csr.hpp"

namespace mlmq::betweenness {

/// Error message for graphs with float64 weights.
inline constexpr std::string_view no_float64 =
    "betweenness has distances of 4 bytes, but the weights are float64: use weights of type uint32 or float32";

/// Removes self-loops, and all but a lightest one of parallel edges. Keeps the ids. Returns the same arrays if the
/// graph is already simple.
[[nodiscard]] graph::csr_graph simple_graph(const graph::csr_graph& graph);

/// Returns whether the graph is undirected: every edge has a reverse edge of the same weight. @param graph must be
/// simple
[[nodiscard]] bool is_undirected(const graph::csr_graph& graph);

}  // namespace mlmq::betweenness
