// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/delaunay.hpp"
#include "graph/generate.hpp"
#include "graph/z_order.hpp"

namespace mlmq::graph {
namespace {

/// Coordinates are 0 … 2^28 - 1.
constexpr unsigned coordinate_bits = 28;

/// Returns distinct uniform points in Z-order. A uniform Z-order code is a uniform point, so sorting the codes is
/// sufficient.
std::vector<grid_point> random_points(vertex_id count, random_stream& random) {
  std::vector<std::uint64_t> codes;
  codes.reserve(count);
  while (codes.size() < count) {
    while (codes.size() < count) codes.push_back(random.next() >> (64 - 2 * coordinate_bits));
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  }
  std::vector<grid_point> points;
  points.reserve(count);
  for (const std::uint64_t code : codes) {
    points.push_back({.x = even_bits(code), .y = even_bits(code >> 1)});
  }
  return points;
}

}  // namespace

csr_graph generate_delaunay(vertex_id vertex_count, std::uint64_t seed) {
  if (vertex_count < 1 || vertex_count > (vertex_id{1} << 28)) {
    throw input_error(fmt::format("Delaunay graph: {} vertices, expected 1 to 2^28", vertex_count));
  }
  random_stream random({0x64656C /* del */, vertex_count, seed});
  const std::vector<grid_point> points = random_points(vertex_count, random);
  const double scale =
      1000.0 * std::sqrt(static_cast<double>(vertex_count)) / static_cast<double>(std::int64_t{1} << coordinate_bits);
  edge_list edges;
  for (const auto& [u, v] : delaunay_edges(points)) {
    const std::int64_t dx = std::int64_t{points[u].x} - points[v].x;
    const std::int64_t dy = std::int64_t{points[u].y} - points[v].y;
    const double length = std::sqrt(static_cast<double>(dx * dx + dy * dy)) * scale;
    edges.add(u, v, static_cast<std::uint32_t>(std::max(1L, std::lround(length))));
  }
  return build_csr(vertex_count, edges, {.symmetric = true, .sort_rows = true});
}

}  // namespace mlmq::graph
