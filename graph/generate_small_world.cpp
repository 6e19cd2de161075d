// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {

csr_graph generate_small_world(vertex_id vertex_count, unsigned neighbours, double rewired, std::uint64_t seed,
                               bool lengths) {
  if (neighbours < 2 || neighbours % 2 != 0) {
    throw input_error(fmt::format("small world: {} neighbours, expected an even number of at least 2", neighbours));
  }
  if (vertex_count <= neighbours || vertex_count == 0xFFFFFFFFu) {
    throw input_error(fmt::format("small world: {} vertices, expected more than the {} neighbours, up to 2^32 - 2",
                                  vertex_count, neighbours));
  }
  if (!(rewired >= 0 && rewired <= 1)) {
    throw input_error(fmt::format("small world: a share of {} rewired, expected 0 to 1", rewired));
  }
  random_stream random({0x736D616C6C /* small */, vertex_count, neighbours, seed});
  const std::uint64_t limit = share_of_32_bits(rewired);
  edge_list edges;
  for (vertex_id u = 0; u < vertex_count; ++u) {
    for (unsigned ahead = 1; ahead <= neighbours / 2; ++ahead) {
      auto v = static_cast<vertex_id>((std::uint64_t{u} + ahead) % vertex_count);
      // Draws any vertex except u.
      if ((random.next() >> 32) < limit) {
        v = static_cast<vertex_id>((u + 1 + random.below(vertex_count - std::uint64_t{1})) % vertex_count);
      }
      const vertex_id apart = u < v ? v - u : u - v;
      edges.add(u, v, std::min(apart, vertex_count - apart));
    }
  }
  if (!lengths) fill_seeded_weights(edges, seed);
  return build_csr(vertex_count, edges, {.symmetric = true, .merge_duplicates = true});
}

}  // namespace mlmq::graph
