// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"

namespace mlmq::graph {
namespace {

// Lengths in integers, 1000 to the grid's spacing, so that every machine sees the same points.
constexpr std::int64_t spacing = 1000;
constexpr std::int64_t largest_shift = 350;
constexpr std::uint64_t removed_percent = 28;
constexpr double smallest_weight = 100;
constexpr double largest_weight = 5000;

struct point {
  std::int32_t x;
  std::int32_t y;
};

/// Disjoint sets with path halving and union by index: the root is a set's smallest member.
class vertex_sets {
 public:
  explicit vertex_sets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), vertex_id{0}); }
  vertex_id root(vertex_id v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void join(vertex_id u, vertex_id v) {
    u = root(u);
    v = root(v);
    parent_[std::max(u, v)] = std::min(u, v);
  }

 private:
  std::vector<vertex_id> parent_;
};

std::uint32_t street_weight(point from, point to, random_stream& random) {
  const std::int64_t dx = from.x - to.x;
  const std::int64_t dy = from.y - to.y;
  const double length = std::sqrt(static_cast<double>(dx * dx + dy * dy));
  // The logarithm of this ratio has standard deviation 0.44; a log-normal factor would need exp().
  const auto above = static_cast<double>(500 + random.below(1001));
  const auto below = static_cast<double>(500 + random.below(1001));
  return static_cast<std::uint32_t>(std::lround(std::clamp(length * above / below, smallest_weight, largest_weight)));
}

/// Only the largest connected part (the one with the smallest vertex among equals), renumbered in
/// the same order.
std::size_t keep_largest_part(std::size_t vertex_count, edge_list& edges) {
  vertex_sets sets(vertex_count);
  for (std::size_t i = 0; i < edges.size(); ++i) sets.join(edges.sources[i], edges.targets[i]);
  std::vector<vertex_id> size(vertex_count, 0);
  for (std::size_t v = 0; v < vertex_count; ++v) ++size[sets.root(static_cast<vertex_id>(v))];
  const auto largest = static_cast<vertex_id>(std::max_element(size.begin(), size.end()) - size.begin());
  std::vector<vertex_id> number(vertex_count);
  vertex_id kept = 0;
  for (std::size_t v = 0; v < vertex_count; ++v) {
    number[v] = kept;
    if (sets.root(static_cast<vertex_id>(v)) == largest) ++kept;
  }
  edge_list inside;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (sets.root(edges.sources[i]) != largest) continue;
    inside.add(number[edges.sources[i]], number[edges.targets[i]], edges.weight_bits[i]);
  }
  edges = std::move(inside);
  return kept;
}

}  // namespace

csr_graph generate_road(unsigned log2_vertices, std::uint64_t seed) {
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
    edges.add(u, v, street_weight(points[u], points[v], random));
  };
  for (vertex_id y = 0; y < height; ++y) {
    for (vertex_id x = 0; x < width; ++x) {
      const vertex_id v = y * width + x;
      if (x + 1 < width) connect(v, v + 1);
      if (y + 1 < height) connect(v, v + width);
    }
  }
  const std::size_t kept = keep_largest_part(points.size(), edges);
  return build_csr(kept, edges, {.symmetric = true, .sort_rows = true});
}

}  // namespace mlmq::graph
