// SPDX-License-Identifier: Apache-2.0
// The graph features that the selector uses (MLMQ, Table 2).
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "graph/csr.hpp"

namespace mlmq::graph {

inline constexpr std::size_t feature_count = 8;

/// Features of Table 2. Degrees are out-degrees. Standard deviations are those of the population (divided by the count,
/// not by the count minus one).
struct graph_features {
  double m = 0;           ///< vertices
  double nnz = 0;         ///< edges
  double avg_nnz = 0;     ///< average degree
  double max_nnz = 0;     ///< largest degree
  double dev_nnz = 0;     ///< standard deviation of the degrees
  double avg_weight = 0;  ///< average weight
  double dev_weight = 0;  ///< standard deviation of the weights
  double max_weight = 0;  ///< largest weight

  /// Returns the values in the order of the members, which is also that of feature_names().
  [[nodiscard]] std::array<double, feature_count> as_array() const noexcept;
};

/// Returns the names of the members in order: "m", "nnz", "avg_nnz", ….
[[nodiscard]] const std::array<std::string, feature_count>& feature_names();

/// Computes the features in one pass over the graph. Sums of integers are exact; sums of floats are compensated block
/// by block. Without edges or vertices the values are zero, never NaN.
[[nodiscard]] graph_features compute_features(const csr_graph& graph);

/// Returns the smallest weight, in units of 10^-csr_graph::decimal_places(); infinity for a graph without edges.
[[nodiscard]] double smallest_weight(const csr_graph& graph);

}  // namespace mlmq::graph
