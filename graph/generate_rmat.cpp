// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"

namespace mlmq::graph {
namespace {

// The quadrants' shares a, a + b and a + b + c of the 2^16 values of 16 random bits.
constexpr std::uint64_t share_a = 37355;    // 0.57
constexpr std::uint64_t share_ab = 49807;   // 0.76
constexpr std::uint64_t share_abc = 62259;  // 0.95

}  // namespace

csr_graph generate_rmat(unsigned log2_vertices, unsigned edge_factor, std::uint64_t seed) {
  if (log2_vertices < 1 || log2_vertices > 30) {
    throw input_error(fmt::format("R-MAT graph: log2 of the vertices is {}, expected 1 to 30", log2_vertices));
  }
  if (edge_factor < 1) throw input_error("R-MAT graph: edge factor 0, expected at least 1");
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
  return build_csr(vertices, edges, {.sort_rows = true});
}

}  // namespace mlmq::graph
