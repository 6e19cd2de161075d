// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/random.hpp"
#include "graph/builder.hpp"
#include "graph/generate.hpp"
#include "graph/weights.hpp"

namespace mlmq::graph {
namespace {

constexpr unsigned most_inputs = 8;
/// Log2 of the number of parts of the gates; many gates read the first gate of each part except the first part.
constexpr unsigned log2_parts = 4;

/// Draws the distance back to a near gate: at least d with probability 1 / d. Distances beyond `reach` are replaced by
/// uniform ones within it.
vertex_id distance_back(vertex_id reach, random_stream& random) {
  const std::uint64_t distance = (std::uint64_t{1} << 32) / ((random.next() >> 32) + 1);
  return static_cast<vertex_id>(distance <= reach ? distance : 1 + random.below(reach));
}

/// Draws a gate from all gates before this one. With probability 1/4, returns the first gate of the drawn gate's part
/// instead.
vertex_id far_gate(vertex_id gate, unsigned log2_vertices, random_stream& random) {
  const auto driver = static_cast<vertex_id>(random.below(gate));
  if (log2_vertices < log2_parts || (random.next() >> 62) != 0) return driver;
  const unsigned part = log2_vertices - log2_parts;
  const vertex_id signal = driver >> part << part;
  return signal == 0 ? driver : signal;
}

}  // namespace

csr_graph generate_logic(unsigned log2_vertices, const logic_shape& shape, std::uint64_t seed) {
  if (log2_vertices < 1 || log2_vertices > 30) {
    throw input_error(fmt::format("logic: log2 of the vertices is {}, expected 1 to 30", log2_vertices));
  }
  if (shape.fanin < 1 || shape.fanin > most_inputs) {
    throw input_error(fmt::format("logic: fan-in {}, expected 1 to {}", shape.fanin, most_inputs));
  }
  if (shape.window < shape.fanin) {
    throw input_error(
        fmt::format("logic: a window of {}, expected at least the {} inputs of a gate", shape.window, shape.fanin));
  }
  if (!(shape.far >= 0 && shape.far <= 1)) {
    throw input_error(fmt::format("logic: a share of {} far, expected 0 to 1", shape.far));
  }
  const vertex_id gates = vertex_id{1} << log2_vertices;
  random_stream random({0x6C6F676963 /* logic */, log2_vertices, shape.fanin, seed});
  const std::uint64_t is_far = share_of_32_bits(shape.far);
  edge_list edges;
  const std::size_t most = std::size_t{gates} * shape.fanin;
  edges.sources.reserve(most);
  edges.targets.reserve(most);
  edges.weight_bits.reserve(most);
  for (vertex_id gate = 1; gate < gates; ++gate) {
    std::array<vertex_id, most_inputs> inputs{};
    const auto end = inputs.begin() + std::min<vertex_id>(shape.fanin, gate);
    for (auto input = inputs.begin(); input != end; ++input) {
      const bool far = (random.next() >> 32) < is_far;
      do {
        *input =
            far ? far_gate(gate, log2_vertices, random) : gate - distance_back(std::min(shape.window, gate), random);
      } while (std::find(inputs.begin(), input, *input) != input);
      edges.add(*input, gate, 0);
    }
  }
  fill_seeded_weights(edges, seed);
  return build_csr(gates, edges, {.symmetric = shape.undirected, .sort_rows = true});
}

}  // namespace mlmq::graph
