// SPDX-License-Identifier: Apache-2.0
// What selectors are told of graphs.
#pragma once

#include <span>
#include <string_view>

#include "tuner/workload_features.hpp"

namespace mlmq::problems {

/// Of a graph with fewer edges selectors are not told what sampling finds: it would take longer than many a search, and
/// than to bring the graph to a device, beside which it is done.
inline constexpr double least_sampled_edges = 1 << 18;

/// The features of graph/feature_list.hpp. Lists: `table2` (MLMQ's eight), `pass` (what a pass over a graph gives),
/// `standard` (that, hops and frontier) and `all`.
[[nodiscard]] const tuner::workload_features& graph_features();

/// Whether selectors are told one of these features of a graph with so many edges, and it costs more than a pass over it.
[[nodiscard]] bool need_sampling(std::span<const std::string_view> features, double nnz);

}  // namespace mlmq::problems
