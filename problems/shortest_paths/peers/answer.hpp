// SPDX-License-Identifier: Apache-2.0
// What a program says about the distances that it found, and whether that can be right.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::problems::search_peers {

/// The right distances of one search, summed up in all ways that programs print.
struct right_answer {
  graph::weight_type weights = graph::weight_type::uint32;
  std::vector<graph::distance_bits> distances;  ///< one for each vertex
  graph::file_ids ids;                          ///< what messages call the vertices
  std::uint64_t reached = 0;                    ///< vertices with a path, the source included
  double sum = 0;                               ///< of their distances
  double largest = 0;
  bool saturated = false;  ///< a distance is beyond 32 bits: the true one is not known
};

/// By Dijkstra's algorithm. @param unit_weights all weights are 1 @throws input_error when source is not a vertex
[[nodiscard]] right_answer solve_reference(const graph::csr_graph& graph, graph::vertex_id source, bool unit_weights);

/// What a program printed; what is absent is not checked.
struct claimed_answer {
  std::optional<double> reached;
  std::optional<double> sum;
  std::optional<double> largest;
};

/// "" or what is wrong. Numbers must be equal; with weights of floating point, sum and largest to one in 10,000, because
/// programs add and print them with different precision.
[[nodiscard]] std::string check_claim(const claimed_answer& claim, const right_answer& right);

/// Checks lines "VERTEX DISTANCE", vertices from 0; lines that begin with # are comments. A vertex without a line, or whose distance is a word (INF) or at
/// least `infinity`, was not reached. "" or what is wrong.
[[nodiscard]] std::string check_distance_lines(std::string_view lines, const right_answer& right, double infinity);

}  // namespace mlmq::problems::search_peers
