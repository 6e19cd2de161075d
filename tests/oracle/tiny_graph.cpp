// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/tiny_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/random.hpp"

namespace mlmq::oracle {
namespace {

using graph::distance_bits;
using graph::vertex_id;
using graph::weight_type;

/// Returns the values from which the weights of one graph are drawn; a repeated value is drawn more often.
std::vector<std::uint32_t> some_weights(weight_type type, random_stream& random) {
  using limits = std::numeric_limits<float>;
  static const std::array<std::vector<std::uint32_t>, 6> integers = {{{0, 0, 0, 1, 2},
                                                                      {1, 2, 3, 4, 5, 6, 7, 8, 9},
                                                                      {0, 1, 1, 1000, 1'000'000},
                                                                      {5},
                                                                      {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFD},
                                                                      {0xFFFFFFFD, 0xFFFFFFFC, 1}}};
  static const std::array<std::vector<float>, 6> floats = {{{0.0F, 0.0F, 0.5F, 1.0F},
                                                            {0.1F, 0.2F, 0.3F, 0.7F, 1.1F},
                                                            {0.0F, limits::denorm_min(), 1e-40F, 3e-39F, limits::min()},
                                                            {16777216.0F, 1.0F, 0.5F, 3.0F},
                                                            {2.5F},
                                                            {limits::max(), 1e38F, 1e31F, 1.0F, limits::denorm_min()}}};
  const std::size_t kind = random.below(integers.size());
  if (type == weight_type::uint32) return integers[kind];
  std::vector<std::uint32_t> bits;
  for (const float weight : floats[kind]) bits.push_back(std::bit_cast<std::uint32_t>(weight));
  return bits;
}

/// Returns the rounded sum. The type double holds the sum exactly, or rounds it twice without harm (53 bits are more
/// than twice 24).
float sum(float a, float b) {
  const double exact = double{a} + double{b};
  return exact > double{std::numeric_limits<float>::max()} ? a + b : static_cast<float>(exact);
}

/// Relaxes all edges in rounds. `extend` adds an edge to a path; `cut` converts a length to 32 bits.
template <class Length, class Extend, class Cut>
std::vector<distance_bits> by_rounds(const tiny_graph& graph, vertex_id source, Length zero, const Extend& extend,
                                     const Cut& cut) {
  std::vector<Length> length(graph.vertices, zero);
  std::vector<bool> reached(graph.vertices, false);

  reached[source] = true;
  for (vertex_id round = 1; round < graph.vertices; ++round) {
    for (const tiny_edge& edge : graph.edges) {
      if (!reached[edge.source]) continue;
      const Length longer = extend(length[edge.source], edge.weight_bits);
      if (reached[edge.target] && length[edge.target] <= longer) continue;
      length[edge.target] = longer;
      reached[edge.target] = true;
    }
  }
  std::vector<distance_bits> distances;
  for (vertex_id v = 0; v < graph.vertices; ++v) distances.push_back(reached[v] ? cut(length[v]) : 0xFFFFFFFFU);
  return distances;
}

}  // namespace

std::vector<std::uint64_t> tiny_graph::offsets() const {
  std::vector<std::uint64_t> result(vertices + std::size_t{1}, 0);
  for (const tiny_edge& edge : edges) {
    for (std::size_t v = edge.source + std::size_t{1}; v < result.size(); ++v) ++result[v];
  }
  return result;
}

std::vector<vertex_id> tiny_graph::targets() const {
  std::vector<vertex_id> result;
  for (const tiny_edge& edge : edges) result.push_back(edge.target);
  return result;
}

std::vector<std::uint32_t> tiny_graph::integers() const {
  std::vector<std::uint32_t> result;
  for (const tiny_edge& edge : edges) result.push_back(edge.weight_bits);
  return result;
}

std::vector<float> tiny_graph::floats() const {
  std::vector<float> result;
  for (const tiny_edge& edge : edges) result.push_back(std::bit_cast<float>(edge.weight_bits));
  return result;
}

graph::csr_graph tiny_graph::csr() const {
  if (type == weight_type::uint32) return {offsets(), targets(), integers()};
  return {offsets(), targets(), floats()};
}

std::string tiny_graph::text() const {
  std::string result = fmt::format("p sp {} {}\n", vertices, edges.size());
  for (const tiny_edge& edge : edges) {
    std::string weight = fmt::format("{}", edge.weight_bits);
    if (type == weight_type::float32) {
      weight = fmt::format("{}", std::bit_cast<float>(edge.weight_bits));
      if (weight.find_first_of(".e") == std::string::npos) weight += ".0";
    }
    result += fmt::format("a {} {} {}\n", edge.source + 1, edge.target + 1, weight);
  }
  return result;
}

tiny_graph random_tiny_graph(std::uint64_t seed) {
  random_stream random({0x74696E79 /* tiny */, seed});
  tiny_graph graph;
  graph.type = random.below(2) == 0 ? weight_type::uint32 : weight_type::float32;
  graph.vertices = static_cast<vertex_id>(1 + random.below(12));
  const std::vector<std::uint32_t> weights = some_weights(graph.type, random);
  const std::uint64_t edges = random.below(4 * graph.vertices);
  for (std::uint64_t i = 0; i < edges; ++i) {
    tiny_edge edge = {static_cast<vertex_id>(random.below(graph.vertices)),
                      static_cast<vertex_id>(random.below(graph.vertices)), weights[random.below(weights.size())]};
    // One edge in eight is parallel to the previous one, one in eight is its reverse.
    const std::uint64_t kind = graph.edges.empty() ? 7 : random.below(8);
    if (kind == 0) edge = {graph.edges.back().source, graph.edges.back().target, edge.weight_bits};
    if (kind == 1) edge = {graph.edges.back().target, graph.edges.back().source, edge.weight_bits};
    graph.edges.push_back(edge);
  }
  std::stable_sort(graph.edges.begin(), graph.edges.end(),
                   [](const tiny_edge& a, const tiny_edge& b) { return a.source < b.source; });
  return graph;
}

std::vector<distance_bits> brute_force(const tiny_graph& graph, vertex_id source, bool unit_weights) {
  if (graph.type == weight_type::uint32 || unit_weights) {
    return by_rounds(
        graph, source, std::uint64_t{0},
        [unit_weights](std::uint64_t length, std::uint32_t bits) { return length + (unit_weights ? 1 : bits); },
        [](std::uint64_t length) {
          return static_cast<distance_bits>(std::min<std::uint64_t>(length, graph::saturated_distance));
        });
  }
  return by_rounds(
      graph, source, 0.0F, [](float length, std::uint32_t bits) { return sum(length, std::bit_cast<float>(bits)); },
      [](float length) { return std::bit_cast<distance_bits>(length); });
}

}  // namespace mlmq::oracle
