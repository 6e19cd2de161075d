// SPDX-License-Identifier: Apache-2.0
// The arrays from which the kernel hierarchy_search.cu searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/hierarchy/elimination.hpp"
#include "hierarchy/hierarchy_abi.cuh"

namespace mlmq::multi_source {

struct piece_limits {
  std::uint32_t vertices;  ///< of a piece
  std::uint32_t slots;     ///< ancestors whose distances are in shared memory
};

/// The elimination tree in pieces.
struct hierarchy_pieces {
  std::vector<sweep_piece> pieces;    ///< parents before children
  std::vector<hierarchy_item> items;  ///< with numbers of arcs instead of weights, see device_weights::write()
  std::vector<std::uint32_t> boundaries;
  std::vector<std::uint32_t> order;        ///< as in hierarchy_arguments
  std::vector<std::uint32_t> vertex_rows;  ///< row of each vertex of the graph; only if all rows are stored
  std::uint32_t row_count = 0;
};

/// Cuts an elimination tree into connected pieces.
/// @param limits at least 1 vertex and 2 slots
/// @param stores_all whether the distances of all vertices are stored, instead of those that other pieces read
/// @throws backends::launch_error if the graph needs larger numbers than the kernel has
[[nodiscard]] hierarchy_pieces cut_into_pieces(const graph::elimination& tree, const piece_limits& limits,
                                               bool stores_all);

}  // namespace mlmq::multi_source
