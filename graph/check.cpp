// SPDX-License-Identifier: Apache-2.0
#include "graph/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::graph {
namespace {

constexpr std::uint32_t float_infinity = 0x7F800000u;
constexpr wide_distance_bits double_infinity = 0x7FF0000000000000u;

template <class Traits>
std::string shown(typename Traits::bits bits) {
  if (bits == Traits::none) return "unreached";
  if (Traits::type == weight_type::uint32) return fmt::format("{}", bits);
  return fmt::format("{} (0x{:0{}x})", Traits::number(bits), bits, 2 * sizeof bits);
}

check_result failure(std::string message) { return {.ok = false, .message = std::move(message)}; }

/// Checks that no edge offers a shorter path to its target than the target's distance.
template <class Traits>
check_result check_relaxed(const csr_graph& graph, std::span<const typename Traits::bits> distances) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  const auto weights = Traits::weights_of(graph);
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    if (distances[u] == Traits::none) continue;
    for (edge_offset i = offsets[u]; i < offsets[u + std::size_t{1}]; ++i) {
      const typename Traits::bits offered = Traits::extend(distances[u], weights[i]);
      const vertex_id v = targets[i];
      if (distances[v] <= offered) continue;
      return failure(
          fmt::format("vertex {} has distance {}, but vertex {} with distance {} and edge {} of weight {} give "
                      "distance {}",
                      graph.ids().id_of(v), shown<Traits>(distances[v]), graph.ids().id_of(u),
                      shown<Traits>(distances[u]), i, graph.weight(i), shown<Traits>(offered)));
    }
  }
  return {.ok = true, .message = {}};
}

/// Checks that every reached vertex can be reached from the source over tight edges.
template <class Traits>
check_result check_supported(const csr_graph& graph, vertex_id source,
                             std::span<const typename Traits::bits> distances) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  const auto weights = Traits::weights_of(graph);
  std::vector<bool> supported(graph.vertex_count(), false);
  std::vector<vertex_id> open{source};
  supported[source] = true;
  while (!open.empty()) {
    const vertex_id u = open.back();
    open.pop_back();
    for (edge_offset i = offsets[u]; i < offsets[u + std::size_t{1}]; ++i) {
      const vertex_id v = targets[i];
      if (distances[v] != Traits::extend(distances[u], weights[i]) || supported[v]) continue;
      supported[v] = true;
      open.push_back(v);
    }
  }
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    if (distances[v] == Traits::none || supported[v]) continue;
    return failure(fmt::format("vertex {} has distance {}, but no path from source {} has that length",
                               graph.ids().id_of(v), shown<Traits>(distances[v]), graph.ids().id_of(source)));
  }
  return {.ok = true, .message = {}};
}

template <class Traits>
check_result check_all(const csr_graph& graph, vertex_id source, std::span<const typename Traits::bits> distances) {
  if (distances.size() != graph.vertex_count()) {
    return failure(fmt::format("{} distances for {} vertices", distances.size(), graph.vertex_count()));
  }
  if (distances[source] != 0) {
    return failure(fmt::format("source {} has distance {}, expected 0", graph.ids().id_of(source),
                               shown<Traits>(distances[source])));
  }
  check_result result = check_relaxed<Traits>(graph, distances);
  return result.ok ? check_supported<Traits>(graph, source, distances) : result;
}

void require_vertex(const csr_graph& graph, vertex_id source) {
  if (source < graph.vertex_count()) return;
  throw input_error(fmt::format("source {} is not a vertex; the graph has {} vertices", source, graph.vertex_count()));
}

}  // namespace

check_result check_distances(const csr_graph& graph, vertex_id source, std::span<const distance_bits> distances) {
  require_vertex(graph, source);
  switch (graph.weights()) {
    case weight_type::uint32:
      return check_all<weight_traits<weight_type::uint32>>(graph, source, distances);
    case weight_type::float32:
      return check_all<weight_traits<weight_type::float32>>(graph, source, distances);
    case weight_type::float64:
      break;
  }
  return failure("distances have 4 bytes, but weights of type float64 need 8");
}

check_result check_distances(const csr_graph& graph, vertex_id source, std::span<const wide_distance_bits> distances) {
  require_vertex(graph, source);
  if (graph.weights() == weight_type::float64) {
    return check_all<weight_traits<weight_type::float64>>(graph, source, distances);
  }
  return failure(fmt::format("distances have 8 bytes, but weights of type {} need 4", name_of(graph.weights())));
}

bool has_saturated(weight_type type, std::span<const distance_bits> distances) {
  const distance_bits limit = type == weight_type::uint32 ? saturated_distance : distance_bits{float_infinity};
  return std::find(distances.begin(), distances.end(), limit) != distances.end();
}

bool has_saturated(std::span<const wide_distance_bits> distances) {
  return std::find(distances.begin(), distances.end(), double_infinity) != distances.end();
}

}  // namespace mlmq::graph
