// SPDX-License-Identifier: Apache-2.0
// Scores as sums of integers (batches/betweenness_abi.cuh), on the host.
#pragma once

#include <cstdint>
#include <string>

#include "batches/betweenness_abi.cuh"
#include "graph/csr.hpp"

namespace mlmq::centrality {

/// Units so small that the scores of `searches` sources of a graph with n vertices just do not overflow.
[[nodiscard]] score_units units_for(std::uint64_t vertices, std::uint64_t searches);

/// The number that a sum of scores stands for.
[[nodiscard]] double value_of(const fixed_score& sum, const score_units& units);

/// What a person reads of a fault.
[[nodiscard]] std::string message_of(path_fault fault, const graph::csr_graph& graph, const std::string& graph_name,
                                     graph::vertex_id source);

}  // namespace mlmq::centrality
