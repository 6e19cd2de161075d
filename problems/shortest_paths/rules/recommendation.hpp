// SPDX-License-Identifier: Apache-2.0
// The selector, the rules and the defaults of shortest paths and breadth-first search.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "problems/recommendation_hook.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::problems {

/// Returns the hook of a problem, which has static storage.
[[nodiscard]] const recommendation_hook& recommendation_of(search_kind kind);

/// Breadth-first search with pushed and pulled levels (kernels/push_pull/), for graphs with few, more and many edges.
inline constexpr std::array level_searches{
    "solver=push_pull,threads=512,blocks_per_multiprocessor=1",
    "solver=push_pull,threads=1024,blocks_per_multiprocessor=1",
    "solver=push_pull,threads=1024,blocks_per_multiprocessor=1,long_row=512,piece_edges=64"};

/// Selects a search by levels for a graph whose selector does not know that solver.
/// @param names names of the features
/// @param values one value per name; NaN: unknown
/// @return one of level_searches, as the parameters that differ from the defaults; nothing if queues are faster, or if
///   the number of edges or the largest degree is unknown
[[nodiscard]] std::optional<std::string> level_search_for(std::span<const std::string_view> names,
                                                          std::span<const double> values);

/// The features that near_search_for() uses; NaN: unknown.
struct near_rule_features {
  double edges;
  double longest_row;
  double weight_variation;  ///< deviation / average of the weights
};

/// Selects near_pull (kernels/near_pull/) where its search is expected to take less time than the queue that the
/// selector chooses.
/// @return the parameters that differ from the defaults; nothing if the queue is expected to be faster, or if the
///   number of edges or the longest row is unknown
[[nodiscard]] std::optional<std::string> near_search_for(const near_rule_features& features);

}  // namespace mlmq::problems
