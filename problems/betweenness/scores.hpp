// SPDX-License-Identifier: Apache-2.0
// Host code for scores as sums of integers (multi_source/betweenness_abi.cuh).
#pragma once

#include <cstdint>
#include <string>

#include "graph/csr.hpp"
#include "multi_source/betweenness_abi.cuh"

namespace mlmq::betweenness {

/// Returns the smallest units with which the scores of `searches` sources in a graph with `vertices` vertices do not
/// overflow.
[[nodiscard]] score_units units_for(std::uint64_t vertices, std::uint64_t searches);

/// Converts a sum of scores to a floating-point number.
[[nodiscard]] double value_of(const fixed_score& sum, const score_units& units);

/// Returns the error message for a fault.
[[nodiscard]] std::string message_of(path_fault fault, const graph::csr_graph& graph, const std::string& graph_name,
                                     graph::vertex_id source);

}  // namespace mlmq::betweenness
