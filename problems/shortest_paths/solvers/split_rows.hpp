// SPDX-License-Identifier: Apache-2.0
// Splits rows of very high degree into segments that different warps relax (kernels/relax.cuh).
#pragma once

#include <vector>

#include "graph/csr.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {

struct split_rows {
  std::vector<split_row> rows;        ///< in ascending order of vertices
  std::vector<row_segment> segments;  ///< by row; queues identify them by first_segment + index
};

/// Splits rows of more than `degree` edges into segments of `degree` edges; the last segment of a row may be shorter.
/// Returns none if `degree` is 0.
[[nodiscard]] split_rows split_rows_of(const graph::csr_graph& graph, unsigned degree);

}  // namespace mlmq::problems
