// SPDX-License-Identifier: Apache-2.0
// Splits a graph into two sides by few vertices.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/weighted_rows.hpp"

namespace mlmq::graph {

/// Place of a vertex in a split graph. No edge leads from one side to the other.
enum class split_place : std::uint8_t { first_side, second_side, separator };

/// Finds a small vertex separator whose sides have at most 60 % of the weight each, if possible. Multilevel method:
/// the graph is coarsened by matchings, split by breadth-first growth, and the separator is improved on each level by
/// moving vertices in the order of their gains (Fiduccia and Mattheyses 1982; Karypis and Kumar 1998).
/// @param graph a row has each target at most once, and not its own vertex
/// @return one element per vertex; equal arguments give equal separators
[[nodiscard]] std::vector<split_place> find_separator(const weighted_rows& graph, std::uint64_t seed);

/// Returns the sum of the weights of the separator's vertices.
[[nodiscard]] std::uint64_t separator_weight(const weighted_rows& graph, const std::vector<split_place>& places);

}  // namespace mlmq::graph
