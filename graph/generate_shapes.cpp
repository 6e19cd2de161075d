// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"

namespace mlmq::graph {
namespace {

void check_size(std::string_view shape, std::uint64_t vertex_count) {
  if (vertex_count < 1 || vertex_count > 0xFFFFFFFEu) {
    throw input_error(fmt::format("{}: {} vertices, expected 1 to 2^32 - 2", shape, vertex_count));
  }
}

edge_list path_edges(vertex_id vertex_count, std::uint32_t weight) {
  edge_list edges;
  for (vertex_id v = 0; v + 1 < vertex_count; ++v) edges.add(v, v + 1, weight);
  return edges;
}

csr_graph both_directions(std::uint64_t vertex_count, const edge_list& edges) {
  return build_csr(vertex_count, edges, {.symmetric = true, .sort_rows = true});
}

}  // namespace

csr_graph generate_path(vertex_id vertex_count, std::uint32_t weight) {
  check_size("path", vertex_count);
  return both_directions(vertex_count, path_edges(vertex_count, weight));
}

csr_graph generate_cycle(vertex_id vertex_count, std::uint32_t weight) {
  check_size("cycle", vertex_count);
  edge_list edges = path_edges(vertex_count, weight);
  if (vertex_count > 2) edges.add(vertex_count - 1, 0, weight);
  return both_directions(vertex_count, edges);
}

csr_graph generate_star(vertex_id vertex_count, std::uint32_t weight) {
  check_size("star", vertex_count);
  edge_list edges;
  for (vertex_id v = 1; v < vertex_count; ++v) edges.add(0, v, weight);
  return both_directions(vertex_count, edges);
}

csr_graph generate_complete(vertex_id vertex_count, std::uint32_t weight) {
  check_size("complete graph", vertex_count);
  edge_list edges;
  for (vertex_id u = 0; u < vertex_count; ++u) {
    for (vertex_id v = u + 1; v < vertex_count; ++v) edges.add(u, v, weight);
  }
  return both_directions(vertex_count, edges);
}

csr_graph generate_grid2d(vertex_id width, vertex_id height, std::uint32_t weight) {
  check_size("grid", std::uint64_t{width} * height);
  edge_list edges;
  for (vertex_id y = 0; y < height; ++y) {
    for (vertex_id x = 0; x < width; ++x) {
      const vertex_id v = y * width + x;
      if (x + 1 < width) edges.add(v, v + 1, weight);
      if (y + 1 < height) edges.add(v, v + width, weight);
    }
  }
  return both_directions(std::uint64_t{width} * height, edges);
}

}  // namespace mlmq::graph
