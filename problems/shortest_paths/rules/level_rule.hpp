// SPDX-License-Identifier: Apache-2.0
// Rule that selects breadth-first search with pushed and pulled levels (kernels/push_pull/) for graphs whose selector
// does not know that solver.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mlmq::problems {

/// Configurations for graphs with few, more and many edges.
inline constexpr std::array level_searches{
    "solver=push_pull,threads=512,blocks_per_multiprocessor=1",
    "solver=push_pull,threads=1024,blocks_per_multiprocessor=1",
    "solver=push_pull,threads=1024,blocks_per_multiprocessor=1,long_row=512,piece_edges=64"};

/// Selects a search by levels for a graph.
/// @param names names of the features
/// @param values one value per name; NaN: unknown
/// @return one of level_searches, as the parameters that differ from the defaults; nothing if queues are faster, or if
///   the number of edges or the largest degree is unknown
[[nodiscard]] std::optional<std::string> level_search_for(std::span<const std::string_view> names,
                                                          std::span<const double> values);

}  // namespace mlmq::problems
