// SPDX-License-Identifier: Apache-2.0
// The graph features that selectors may use.
#pragma once

#include <span>
#include <string_view>

#include "graph/csr.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::problems {

/// For graphs with fewer edges, selectors do not use sampled features: sampling would take longer than many searches
/// and longer than the upload of the graph, with which it overlaps.
inline constexpr double least_sampled_edges = 1 << 18;

/// Returns the features of graph/feature_list.hpp. Lists: `table2` (MLMQ's eight), `pass` (from a pass over the graph),
/// `standard` (pass, hops and frontier) and `all`.
[[nodiscard]] const tuner::workload_features& graph_features();

/// Returns whether selectors use one of these features for a graph with `nnz` edges and it requires sampling.
[[nodiscard]] bool need_sampling(std::span<const std::string_view> features, double nnz);

/// Computes m, nnz or max_nnz, which rules of thumb use. Returns NaN for another feature.
[[nodiscard]] double degree_feature(const graph::csr_graph& graph, std::string_view name);

}  // namespace mlmq::problems
