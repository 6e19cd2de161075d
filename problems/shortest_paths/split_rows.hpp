// SPDX-License-Identifier: Apache-2.0
// Rows of very high degree, cut into segments that different warps relax (kernels/relax.cuh).
#pragma once

#include <vector>

#include "graph/csr.hpp"
#include "search_abi.cuh"

namespace mlmq::problems {

struct split_rows {
  std::vector<split_row> rows;        ///< by ascending vertex
  std::vector<row_segment> segments;  ///< of the first row, of the second, …; in the queues first_segment + index
};

/// The rows of more than `degree` edges in segments of `degree` edges; the last of a row may be shorter. None when
/// `degree` is 0.
[[nodiscard]] split_rows split_rows_of(const graph::csr_graph& graph, unsigned degree);

}  // namespace mlmq::problems
