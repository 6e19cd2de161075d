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

/// Returns the edges of a Delaunay triangulation, sorted. Each edge occurs once, as a pair (smaller, larger) of
/// positions in `points`. If more than three points lie on one empty circle, the point at the smallest position is
/// joined with all of them (a fan). A repeated point is joined only with its first occurrence. Points on one line are
/// joined in a row.
[[nodiscard]] std::vector<std::pair<vertex_id, vertex_id>> delaunay_edges(std::span<const grid_point> points);

}  // namespace mlmq::graph
