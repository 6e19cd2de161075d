// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/largest_part.hpp"
#include "graph/portable_power.hpp"
#include "graph/weights.hpp"
#include "graph/z_order.hpp"

namespace mlmq::graph {
namespace {

constexpr unsigned most_sinks = 64;

/// Draws the number of consecutive heads of a coin with this probability of heads, at most `most`.
unsigned heads(std::uint64_t share, unsigned most, random_stream& random) {
  unsigned count = 0;
  while (count < most && (random.next() >> 32) < share) ++count;
  return count;
}

/// Returns the distance along the axes between two gates on a Z-order curve.
std::uint32_t wire_length(vertex_id u, vertex_id v) {
  const auto apart = [](std::int32_t a, std::int32_t b) { return static_cast<std::uint32_t>(std::abs(a - b)); };
  return apart(even_bits(u), even_bits(v)) + apart(even_bits(u >> 1), even_bits(v >> 1));
}

}  // namespace

csr_graph generate_circuit(unsigned log2_vertices, const circuit_shape& shape, std::uint64_t seed, bool lengths) {
  if (log2_vertices < 2 || log2_vertices > 30) {
    throw input_error(fmt::format("circuit: log2 of the vertices is {}, expected 2 to 30", log2_vertices));
  }
  if (!(shape.rent > 0 && shape.rent < 1)) {
    throw input_error(fmt::format("circuit: Rent exponent {}, expected between 0 and 1", shape.rent));
  }
  if (!(shape.fanout >= 1 && shape.fanout <= most_sinks / 4.0)) {
    throw input_error(fmt::format("circuit: fan-out {}, expected 1 to {}", shape.fanout, most_sinks / 4));
  }
  if (shape.hubs > 16) throw input_error(fmt::format("circuit: {} hubs, expected 0 to 16", shape.hubs));
  const vertex_id gates = vertex_id{1} << log2_vertices;
  random_stream random({0x63697263 /* circ */, log2_vertices, seed});
  // Share of the wires leaving a block of gates that also leave the block of twice the size.
  const std::uint64_t leaves = share_of_32_bits(portable_power(2, shape.rent) / 2);
  const std::uint64_t one_more_sink = share_of_32_bits(1 - 1 / shape.fanout);
  edge_list edges;
  for (vertex_id gate = 0; gate < gates; ++gate) {
    const unsigned sinks = 1 + heads(one_more_sink, most_sinks - 1, random);
    for (unsigned i = 0; i < sinks; ++i) {
      // The other end is a random gate in the other half of a block around the gate.
      const unsigned level = heads(leaves, log2_vertices - 1, random);
      const vertex_id half = vertex_id{1} << level;
      const vertex_id sink = gate ^ half ^ static_cast<vertex_id>(random.below(half));
      edges.add(gate, sink, wire_length(gate, sink));
    }
    // Nets to a large share of all gates, each to a quarter as many gates as the net before.
    for (unsigned hub = 0; hub < shape.hubs; ++hub) {
      if ((random.next() >> (60 - 2 * hub)) != 0) continue;
      const auto driver = static_cast<vertex_id>(std::uint64_t{gates} * hub / shape.hubs);
      if (driver != gate) edges.add(driver, gate, wire_length(driver, gate));
    }
  }
  const std::size_t vertices = keep_largest_part(gates, edges);
  if (!lengths) fill_seeded_weights(edges, seed);
  return build_csr(vertices, edges, {.symmetric = true, .merge_duplicates = true});
}

}  // namespace mlmq::graph
