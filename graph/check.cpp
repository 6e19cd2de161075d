// SPDX-License-Identifier: Apache-2.0
#include "graph/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "graph/arithmetic.hpp"

namespace mlmq::graph {
namespace {

constexpr std::uint32_t float_infinity = 0x7F800000u;

std::string shown(weight_type type, distance_bits bits) {
  if (bits == unreached) return "unreached";
  if (type == weight_type::uint32) return fmt::format("{}", bits);
  return fmt::format("{} (0x{:08x})", distance_value(type, bits), bits);
}

check_result failure(std::string message) { return {.ok = false, .message = std::move(message)}; }

/// No edge may lead to its target on a shorter way than the target's distance.
template <weight_type Type>
check_result check_relaxed(const csr_graph& graph, std::span<const distance_bits> distances) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  const auto weights = graph.weight_bits();
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    if (distances[u] == unreached) continue;
    for (edge_offset i = offsets[u]; i < offsets[u + std::size_t{1}]; ++i) {
      const distance_bits offered = extend_by<Type>(distances[u], weights[i]);
      const vertex_id v = targets[i];
      if (distances[v] <= offered) continue;
      return failure(
          fmt::format("vertex {} has distance {}, but vertex {} with distance {} and edge {} of weight {} lead "
                      "there in {}",
                      graph.ids().of(v), shown(Type, distances[v]), graph.ids().of(u), shown(Type, distances[u]), i,
                      graph.weight(i), shown(Type, offered)));
    }
  }
  return {.ok = true, .message = {}};
}

/// Every reached vertex must hang on the source by tight edges.
template <weight_type Type>
check_result check_supported(const csr_graph& graph, vertex_id source, std::span<const distance_bits> distances) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  const auto weights = graph.weight_bits();
  std::vector<bool> supported(graph.vertex_count(), false);
  std::vector<vertex_id> open{source};
  supported[source] = true;
  while (!open.empty()) {
    const vertex_id u = open.back();
    open.pop_back();
    for (edge_offset i = offsets[u]; i < offsets[u + std::size_t{1}]; ++i) {
      const vertex_id v = targets[i];
      if (distances[v] != extend_by<Type>(distances[u], weights[i]) || supported[v]) continue;
      supported[v] = true;
      open.push_back(v);
    }
  }
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    if (distances[v] == unreached || supported[v]) continue;
    return failure(fmt::format("vertex {} has distance {}, but no path from source {} has that length",
                               graph.ids().of(v), shown(Type, distances[v]), graph.ids().of(source)));
  }
  return {.ok = true, .message = {}};
}

template <weight_type Type>
check_result check_all(const csr_graph& graph, vertex_id source, std::span<const distance_bits> distances) {
  if (distances.size() != graph.vertex_count()) {
    return failure(fmt::format("{} distances for {} vertices", distances.size(), graph.vertex_count()));
  }
  if (distances[source] != 0) {
    return failure(
        fmt::format("source {} has distance {}, expected 0", graph.ids().of(source), shown(Type, distances[source])));
  }
  check_result result = check_relaxed<Type>(graph, distances);
  return result.ok ? check_supported<Type>(graph, source, distances) : result;
}

}  // namespace

check_result check_distances(const csr_graph& graph, vertex_id source, std::span<const distance_bits> distances) {
  if (source >= graph.vertex_count()) {
    throw input_error(
        fmt::format("source {} is not a vertex, the graph has {} vertices", source, graph.vertex_count()));
  }
  return graph.weights() == weight_type::uint32 ? check_all<weight_type::uint32>(graph, source, distances)
                                                : check_all<weight_type::float32>(graph, source, distances);
}

bool has_saturated(weight_type type, std::span<const distance_bits> distances) {
  const distance_bits limit = type == weight_type::uint32 ? saturated_distance : distance_bits{float_infinity};
  return std::find(distances.begin(), distances.end(), limit) != distances.end();
}

}  // namespace mlmq::graph
