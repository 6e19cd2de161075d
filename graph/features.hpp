// SPDX-License-Identifier: Apache-2.0
// What the selector knows about a graph (MLMQ, Table 2).
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "graph/csr.hpp"

namespace mlmq::graph {

inline constexpr std::size_t feature_count = 8;

/// Degrees are out-degrees; deviations are those of the population (divided by the count, not by
/// one less).
struct graph_features {
  double m = 0;           ///< vertices
  double nnz = 0;         ///< edges
  double avg_nnz = 0;     ///< average degree
  double max_nnz = 0;     ///< largest degree
  double dev_nnz = 0;     ///< standard deviation of the degrees
  double avg_weight = 0;  ///< average weight
  double dev_weight = 0;  ///< standard deviation of the weights
  double max_weight = 0;  ///< largest weight

  /// In the order of the members, which is that of feature_names().
  [[nodiscard]] std::array<double, feature_count> as_array() const noexcept;
};

/// "m", "nnz", "avg_nnz", …: the members' names in order.
[[nodiscard]] const std::array<std::string, feature_count>& feature_names();

/// One pass over the graph. Sums of integers are exact; of floats, they are compensated block by
/// block. No edges, or no vertices: zeros, never NaN.
[[nodiscard]] graph_features compute_features(const csr_graph& graph);

}  // namespace mlmq::graph
