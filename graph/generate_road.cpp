// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/largest_part.hpp"

namespace mlmq::graph {
namespace {

// Lengths are integers (1000 per grid spacing), so that the points are the same on every machine.
constexpr std::int64_t spacing = 1000;
constexpr std::int64_t largest_shift = 350;
constexpr std::uint64_t removed_percent = 28;
constexpr double smallest_street_weight = 100;
constexpr double largest_street_weight = 5000;

struct point {
  std::int32_t x;
  std::int32_t y;
};

std::uint32_t street_weight(point start, point end, random_stream& random, bool lengths) {
  const std::int64_t dx = start.x - end.x;
  const std::int64_t dy = start.y - end.y;
  const double length = std::sqrt(static_cast<double>(dx * dx + dy * dy));
  // The logarithm of this ratio has standard deviation 0.44; a log-normal factor would need exp().
  const auto above = static_cast<double>(500 + random.below(1001));
  const auto below = static_cast<double>(500 + random.below(1001));
  const double weight = lengths ? length : length * above / below;
  return static_cast<std::uint32_t>(std::lround(std::clamp(weight, smallest_street_weight, largest_street_weight)));
}

}  // namespace

csr_graph generate_road(unsigned log2_vertices, std::uint64_t seed, bool lengths) {
  if (log2_vertices < 2 || log2_vertices > 30) {
    throw input_error(fmt::format("road graph: log2 of the vertices is {}, expected 2 to 30", log2_vertices));
  }
  const vertex_id width = vertex_id{1} << ((log2_vertices + 1) / 2);
  const vertex_id height = vertex_id{1} << (log2_vertices / 2);
  random_stream random({0x726F6164 /* road */, log2_vertices, seed});
  const auto shifted = [&random](vertex_id cell) {
    const auto shift = static_cast<std::int64_t>(random.below(2 * largest_shift + 1));
    return static_cast<std::int32_t>(cell * spacing + shift - largest_shift);
  };
  std::vector<point> points;
  points.reserve(std::size_t{width} * height);
  for (vertex_id y = 0; y < height; ++y) {
    for (vertex_id x = 0; x < width; ++x) {
      const std::int32_t px = shifted(x);
      points.push_back({.x = px, .y = shifted(y)});
    }
  }
  edge_list edges;
  const auto connect = [&](vertex_id u, vertex_id v) {
    if (random.below(100) < removed_percent) return;
    edges.add(u, v, street_weight(points[u], points[v], random, lengths));
  };
  for (vertex_id y = 0; y < height; ++y) {
    for (vertex_id x = 0; x < width; ++x) {
      const vertex_id v = y * width + x;
      if (x + 1 < width) connect(v, v + 1);
      if (y + 1 < height) connect(v, v + width);
    }
  }
  const std::size_t vertex_count = keep_largest_part(points.size(), edges);
  return build_csr(vertex_count, edges, {.symmetric = true, .sort_rows = true});
}

}  // namespace mlmq::graph
