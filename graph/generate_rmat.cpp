// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/random.hpp"
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
  random_stream random({0x726D6174 /* rmat */, log2_vertices, edge_factor, seed});
  edge_list edges;
  edges.sources.reserve(edge_count);
  edges.targets.reserve(edge_count);
  edges.weight_bits.reserve(edge_count);
  for (std::uint64_t i = 0; i < edge_count; ++i) {
    vertex_id u = 0;
    vertex_id v = 0;
    std::uint64_t bits = 0;
    for (unsigned level = 0; level < log2_vertices; ++level) {
      bits = level % 4 == 0 ? random.next() : bits >> 16;
      const std::uint64_t draw = bits & 0xFFFFu;
      const bool lower = draw >= share_ab;
      const bool right = (draw >= share_a && !lower) || draw >= share_abc;
      u = u << 1 | static_cast<vertex_id>(lower);
      v = v << 1 | static_cast<vertex_id>(right);
    }
    edges.add(u, v, 1 + scale_to(random.next(), 100));
  }
  return build_csr(vertices, edges, {.symmetric = shape.undirected, .sort_rows = true});
}

}  // namespace mlmq::graph
