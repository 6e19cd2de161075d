// SPDX-License-Identifier: Apache-2.0
#include "graph/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/thread_team.hpp"
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

/// Graphs with fewer edges are checked by one thread.
constexpr edge_offset edges_worth_a_thread = 1U << 17;

/// Returns a failure if the row of `u` offers a shorter path to a target than the target's distance. Marks targets in
/// `supported` that have their distance from `u` and are farther away than it.
template <class Traits>
std::optional<check_result> check_row(const csr_graph& graph, vertex_id u,
                                      std::span<const typename Traits::bits> distances, wide_distance_bits cutoff,
                                      std::span<unsigned char> supported) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  const auto weights = Traits::weights_of(graph);
  const typename Traits::bits distance = distances[u];
  for (edge_offset i = offsets[u]; i < offsets[u + std::size_t{1}]; ++i) {
    const typename Traits::bits offered = Traits::extend(distance, weights[i]);
    const vertex_id v = targets[i];
    if (distances[v] < offered || offered > cutoff) continue;
    if (distances[v] == offered) {
      if (distance < offered) std::atomic_ref(supported[v]).store(1, std::memory_order_relaxed);
      continue;
    }
    return failure(
        fmt::format("vertex {} has distance {}, but vertex {} with distance {} and edge {} of weight {} give "
                    "distance {}",
                    graph.ids().id_of(v), shown<Traits>(distances[v]), graph.ids().id_of(u), shown<Traits>(distance), i,
                    graph.weight(i), shown<Traits>(offered)));
  }
  return std::nullopt;
}

/// Checks that no edge offers a shorter path to its target than the target's distance.
/// @param supported receives 1 for each vertex that has its distance from a nearer one
template <class Traits>
check_result check_relaxed(const csr_graph& graph, std::span<const typename Traits::bits> distances,
                           wide_distance_bits cutoff, std::span<unsigned char> supported) {
  constexpr std::size_t block = 4096;  // vertices
  const std::size_t n = graph.vertex_count();
  const auto busy_threads =
      static_cast<unsigned>(std::min<edge_offset>(graph.edge_count() / edges_worth_a_thread + 1, 64));
  thread_team team(std::min(busy_threads, std::max(1U, std::thread::hardware_concurrency())));
  std::vector<std::optional<check_result>> failures((n + block - 1) / block);
  team.run_blocks(n, block, [&](std::size_t index, std::size_t first, std::size_t last) {
    for (std::size_t u = first; u < last && !failures[index]; ++u) {
      if (distances[u] != Traits::none) {
        failures[index] = check_row<Traits>(graph, static_cast<vertex_id>(u), distances, cutoff, supported);
      }
    }
  });
  const auto first = std::find_if(failures.begin(), failures.end(), [](const auto& f) { return f.has_value(); });
  return first == failures.end() ? check_result{.ok = true, .message = {}} : std::move(**first);
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
check_result check_all(const csr_graph& graph, vertex_id source, std::span<const typename Traits::bits> distances,
                       wide_distance_bits cutoff) {
  if (distances.size() != graph.vertex_count()) {
    return failure(fmt::format("{} distances for {} vertices", distances.size(), graph.vertex_count()));
  }
  if (distances[source] != 0) {
    return failure(fmt::format("source {} has distance {}, expected 0", graph.ids().id_of(source),
                               shown<Traits>(distances[source])));
  }
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    if (distances[v] == Traits::none || distances[v] <= cutoff) continue;
    return failure(fmt::format("vertex {} has distance {}, which is beyond the cutoff", graph.ids().id_of(v),
                               shown<Traits>(distances[v])));
  }
  std::vector<unsigned char> supported(graph.vertex_count(), 0);
  supported[source] = 1;
  check_result result = check_relaxed<Traits>(graph, distances, cutoff, supported);
  if (!result.ok) return result;
  // If every vertex but the source has its distance from a nearer one, there is a path from the source to each. Only
  // lengths of 0 and saturated distances need a search.
  for (vertex_id v = 0; v < graph.vertex_count(); ++v) {
    if (distances[v] != Traits::none && supported[v] == 0) return check_supported<Traits>(graph, source, distances);
  }
  return result;
}

void require_vertex(const csr_graph& graph, vertex_id source) {
  if (source < graph.vertex_count()) return;
  throw input_error(fmt::format("source {} is not a vertex; the graph has {} vertices", source, graph.vertex_count()));
}

}  // namespace

check_result check_distances(const csr_graph& graph, vertex_id source, std::span<const distance_bits> distances,
                             wide_distance_bits cutoff) {
  require_vertex(graph, source);
  switch (graph.weights()) {
    case weight_type::uint32:
      return check_all<weight_traits<weight_type::uint32>>(graph, source, distances, cutoff);
    case weight_type::float32:
      return check_all<weight_traits<weight_type::float32>>(graph, source, distances, cutoff);
    case weight_type::float64:
      break;
  }
  return failure("distances have 4 bytes, but weights of type float64 need 8");
}

check_result check_distances(const csr_graph& graph, vertex_id source, std::span<const wide_distance_bits> distances,
                             wide_distance_bits cutoff) {
  require_vertex(graph, source);
  if (graph.weights() == weight_type::float64) {
    return check_all<weight_traits<weight_type::float64>>(graph, source, distances, cutoff);
  }
  return failure(fmt::format("distances have 8 bytes, but weights of type {} need 4", name_of(graph.weights())));
}

namespace {

template <class Bits>
bool contains(std::span<const Bits> distances, Bits limit) {
  constexpr std::size_t block = std::size_t{1} << 18;
  std::atomic<bool> is_found = false;
  for_each_block(distances.size(), block, [&](std::size_t, std::size_t first, std::size_t last) {
    // Without an exit in the loop, the compiler uses vectors.
    bool is_in_block = false;
    for (const Bits bits : distances.subspan(first, last - first)) is_in_block |= bits == limit;
    if (is_in_block) is_found = true;
  });
  return is_found;
}

}  // namespace

bool has_saturated(weight_type type, std::span<const distance_bits> distances) {
  return contains(distances, type == weight_type::uint32 ? saturated_distance : distance_bits{float_infinity});
}

bool has_saturated(std::span<const wide_distance_bits> distances) {
  return contains(distances, wide_distance_bits{double_infinity});
}

std::string saturated_message(weight_type type) {
  switch (type) {
    case weight_type::uint32:
      return "a distance is beyond 32 bits; scale the weights down, or use --weights float64 (weight_type)";
    case weight_type::float32:
      return "a distance is too large for float32; scale the weights down, or use --weights float64 (weight_type)";
    case weight_type::float64:
      break;
  }
  return "a distance is too large for float64; scale the weights down";
}

}  // namespace mlmq::graph
