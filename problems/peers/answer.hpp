// SPDX-License-Identifier: Apache-2.0
// Checks the distances that a program reports.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::peers {

/// The correct distances of one search, with all summaries that programs print.
struct right_answer {
  graph::weight_type weights = graph::weight_type::uint32;
  std::vector<graph::distance_bits> distances;  ///< one per vertex
  graph::file_ids ids;                          ///< vertex ids for messages
  std::uint64_t reached = 0;                    ///< vertices with a path, the source included
  double sum = 0;                               ///< sum of their distances
  double largest = 0;
  bool saturated = false;  ///< a distance exceeds 32 bits, so the true one is unknown
};

/// Solves with Dijkstra's algorithm.
/// @param unit_weights all weights are 1
/// @throws input_error if `source` is not a vertex
[[nodiscard]] right_answer solve_reference(const graph::csr_graph& graph, graph::vertex_id source, bool unit_weights);

/// Values that a program printed. A missing value is not checked.
struct claimed_answer {
  std::optional<double> reached;
  std::optional<double> sum;
  std::optional<double> largest;
};

/// Checks printed values. They must be equal; with floating-point weights, `sum` and `largest` may deviate by 1 in
/// 10,000, because programs add and print them with different precision.
/// @return "" or a description of the first error
[[nodiscard]] std::string check_claim(const claimed_answer& claim, const right_answer& right);

/// Checks lines "VERTEX DISTANCE", with vertices counted from 0; lines that begin with # are comments. A vertex is
/// unreached if it has no line, or if its distance is a word (INF) or at least `infinity`.
/// @return "" or a description of the first error
[[nodiscard]] std::string check_distance_lines(std::string_view lines, const right_answer& right, double infinity);

}  // namespace mlmq::peers
