// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/thread_team.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"

namespace mlmq::graph {
namespace {

/// Returns the number of values of 16 random bits that represents a probability.
std::int32_t share_of_16_bits(double probability) { return static_cast<std::int32_t>(probability * 65536.0); }

/// Number of values of 16 random bits for the first quadrants.
struct rmat_shares {
  std::int32_t a;
  std::int32_t ab;
  std::int32_t abc;
};

/// Edges that are drawn together, so that the compiler uses vectors of edges.
constexpr std::size_t group_size = 16;

struct edge_group {
  std::array<vertex_id, group_size> sources;
  std::array<vertex_id, group_size> targets;
  std::array<std::uint32_t, group_size> weights;

  /// Draws the next edges of the stream.
  void draw(unsigned levels, const rmat_shares& shares, random_stream& random) {
    constexpr unsigned most_levels = 30;
    std::array<std::array<std::uint32_t, group_size>, (most_levels + 3) / 4 * 2> words;  // two levels each
    for (std::size_t e = 0; e < group_size; ++e) {
      for (unsigned level = 0; level < levels; level += 4) {
        const std::uint64_t bits = random.next();
        words[level / 2][e] = static_cast<std::uint32_t>(bits);
        words[level / 2 + 1][e] = static_cast<std::uint32_t>(bits >> 32);
      }
      weights[e] = 1 + scale_to(random.next(), 100);
    }
    sources.fill(0);
    targets.fill(0);
    for (unsigned level = 0; level < levels; ++level) {
      const unsigned shift = level % 2 * 16;
      for (std::size_t e = 0; e < group_size; ++e) {
        const auto draw = static_cast<std::int32_t>(words[level / 2][e] >> shift & 0xFFFFu);
        const vertex_id above_a = draw >= shares.a ? 1 : 0;
        const vertex_id above_ab = draw >= shares.ab ? 1 : 0;
        const vertex_id above_abc = draw >= shares.abc ? 1 : 0;
        sources[e] = sources[e] << 1 | above_ab;
        targets[e] = targets[e] << 1 | (above_a ^ above_ab ^ above_abc);
      }
    }
  }
};

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
  const std::uint64_t vertices = std::uint64_t{1} << log2_vertices;
  const std::uint64_t edge_count = vertices * edge_factor;
  edge_list edges;
  check_memory(vertices, edge_count, 3 * sizeof(vertex_id));
  edges.sources.resize(edge_count);
  edges.targets.resize(edge_count);
  edges.weight_bits.resize(edge_count);
  const rmat_shares shares{.a = share_of_16_bits(shape.a),
                           .ab = share_of_16_bits(shape.a + shape.b),
                           .abc = share_of_16_bits(shape.a + shape.b + shape.c)};
  // Four levels share a number, and the weight takes one.
  const std::uint64_t numbers_per_edge = (log2_vertices + 3) / 4 + 1;
  constexpr std::size_t edges_per_block = std::size_t{1} << 16;
  for_each_block(edge_count, edges_per_block, [&](std::size_t, std::size_t first, std::size_t last) {
    throw_if_stopped();
    random_stream random({0x726D6174 /* rmat */, log2_vertices, edge_factor, seed});
    random.skip(first * numbers_per_edge);
    edge_group group;
    for (std::size_t i = first; i < last; i += group_size) {
      group.draw(log2_vertices, shares, random);
      const std::size_t count = std::min(group_size, last - i);
      std::copy_n(group.sources.begin(), count, edges.sources.begin() + static_cast<std::ptrdiff_t>(i));
      std::copy_n(group.targets.begin(), count, edges.targets.begin() + static_cast<std::ptrdiff_t>(i));
      std::copy_n(group.weights.begin(), count, edges.weight_bits.begin() + static_cast<std::ptrdiff_t>(i));
    }
  });
  return build_csr(vertices, edges, {.symmetric = shape.undirected, .sort_rows = true});
}

}  // namespace mlmq::graph
