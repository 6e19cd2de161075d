// SPDX-License-Identifier: Apache-2.0
// Delaunay triangulation of points with integer coordinates.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

struct grid_point {
  std::int32_t x;
  std::int32_t y;
};

/// The edges of a Delaunay triangulation, each once as (smaller, larger) position in `points`,
/// sorted. More than three points on one empty circle are joined by a fan from the one at the
/// smallest position. A point that occurs again is joined with its first occurrence only; points on
/// one line are joined in a row.
[[nodiscard]] std::vector<std::pair<vertex_id, vertex_id>> delaunay_edges(std::span<const grid_point> points);

}  // namespace mlmq::graph
