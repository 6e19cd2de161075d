// SPDX-License-Identifier: Apache-2.0
// Estimates how much of a graph searches with a cutoff reach.
#pragma once

#include <span>

#include "graph/csr.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::multi_source {

/// Returns the mean share of the vertices that searches with a cutoff reach. Repeats up to eight of them on a
/// processor, fewer if they reach a million vertices together.
/// @param sources of all searches; at least one
/// @param cutoff bits of a distance
/// @throws stopped_error
[[nodiscard]] double estimate_reached_share(const graph::csr_graph& graph, problems::search_kind kind,
                                            std::span<const graph::vertex_id> sources,
                                            graph::wide_distance_bits cutoff);

}  // namespace mlmq::multi_source
