// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/thread_team.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"

namespace mlmq::graph {
namespace {

/// Returns the number of values of 16 random bits that represents a probability.
std::uint64_t share_of_16_bits(double probability) { return static_cast<std::uint64_t>(probability * 65536.0); }

}  // namespace

csr_graph generate_rmat(unsigned log2_vertices, unsigned edge_factor, std::uint64_t seed, const rmat_shape& shape) {
  if (log2_vertices < 1 || log2_vertices > 30) {
    throw input_error(fmt::format("R-MAT graph: log2 of the vertices is {}, expected 1 to 30", log2_vertices));
  }
  if (edge_factor < 1) throw input_error("R-MAT graph: edge factor 0, expected at least 1");
  if (!(shape.a >= 0 && shape.b >= 0 && shape.c >= 0 && shape.a + shape.b + shape.c <= 1)) {
    throw input_error(fmt::format("R-MAT graph: a = {}, b = {}, c = {}, expected shares that add up to at most 1",
                                  shape.a, shape.b, shape.c));
  }
  const std::uint64_t share_a = share_of_16_bits(shape.a);
  const std::uint64_t share_ab = share_of_16_bits(shape.a + shape.b);
  const std::uint64_t share_abc = share_of_16_bits(shape.a + shape.b + shape.c);
  const std::uint64_t vertices = std::uint64_t{1} << log2_vertices;
  const std::uint64_t edge_count = vertices * edge_factor;
  edge_list edges;
  check_memory(vertices, edge_count, 3 * sizeof(vertex_id));
  edges.sources.resize(edge_count);
  edges.targets.resize(edge_count);
  edges.weight_bits.resize(edge_count);
  // Four levels share a number, and the weight takes one.
  const std::uint64_t numbers_per_edge = (log2_vertices + 3) / 4 + 1;
  constexpr std::size_t edges_per_block = std::size_t{1} << 16;
  for_each_block(edge_count, edges_per_block, [&](std::size_t, std::size_t first, std::size_t last) {
    throw_if_stopped();
    random_stream random({0x726D6174 /* rmat */, log2_vertices, edge_factor, seed});
    random.skip(first * numbers_per_edge);
    for (std::size_t i = first; i < last; ++i) {
      vertex_id u = 0;
      vertex_id v = 0;
      std::uint64_t bits = 0;
      for (unsigned level = 0; level < log2_vertices; ++level) {
        bits = level % 4 == 0 ? random.next() : bits >> 16;
        // Without branches, which could not be predicted.
        const std::uint64_t draw = bits & 0xFFFFu;
        const auto above_a = static_cast<vertex_id>(draw >= share_a);
        const auto above_ab = static_cast<vertex_id>(draw >= share_ab);
        const auto above_abc = static_cast<vertex_id>(draw >= share_abc);
        u = u << 1 | above_ab;
        v = v << 1 | (above_a ^ above_ab ^ above_abc);
      }
      edges.sources[i] = u;
      edges.targets[i] = v;
      edges.weight_bits[i] = 1 + scale_to(random.next(), 100);
    }
  });
  return build_csr(vertices, edges, {.symmetric = shape.undirected, .sort_rows = true});
}

}  // namespace mlmq::graph
