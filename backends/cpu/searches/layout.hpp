// SPDX-License-Identifier: Apache-2.0
// Typed view of a search_graph: offset width, weight type and unit weights become template parameters.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "backends/cpu/searches/search.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::cpu {

/// A queue element: a vertex and its distance when it was pushed. Ordered by distance.
using entry = std::uint64_t;

[[nodiscard]] constexpr entry make_entry(graph::distance_bits distance, graph::vertex_id vertex) noexcept {
  return entry{distance} << 32 | vertex;
}
[[nodiscard]] constexpr graph::vertex_id vertex_of(entry e) noexcept { return static_cast<graph::vertex_id>(e); }
[[nodiscard]] constexpr graph::distance_bits distance_of(entry e) noexcept {
  return static_cast<graph::distance_bits>(e >> 32);
}

/// An entry with a distance of 8 bytes. Its members have no initial values: see entry_buffer.
struct wide_entry {
  graph::wide_distance_bits distance;
  graph::vertex_id vertex;

  friend constexpr bool operator<(const wide_entry& a, const wide_entry& b) noexcept { return a.distance < b.distance; }
};

[[nodiscard]] constexpr wide_entry make_entry(std::same_as<graph::wide_distance_bits> auto distance,
                                              graph::vertex_id vertex) noexcept {
  return {.distance = distance, .vertex = vertex};
}
[[nodiscard]] constexpr graph::vertex_id vertex_of(const wide_entry& e) noexcept { return e.vertex; }
[[nodiscard]] constexpr graph::wide_distance_bits distance_of(const wide_entry& e) noexcept { return e.distance; }

/// The queue element for distances of the type Bits.
template <class Bits>
using entry_of = decltype(make_entry(Bits{}, graph::vertex_id{}));

/// Calls begin(vertex, distance) for each vertex at which a search begins.
template <class Bits, class Begin>
void begin_search(const search_request& request, const Begin& begin) {
  if (request.seeds.empty()) begin(request.source, Bits{0});
  for (const graph::seed_vertex& seed : request.seeds) begin(seed.vertex, static_cast<Bits>(seed.distance));
}

/// @tparam Weights uint32 if UnitWeights is set
template <graph::weight_type Weights, bool UnitWeights, class Offset>
class graph_layout {
 public:
  using traits = graph::weight_traits<Weights>;
  using bits = typename traits::bits;  ///< bits of a distance
  static constexpr bool is_wide = Weights == graph::weight_type::float64;
  using edge_word =
      std::conditional_t<UnitWeights, std::uint32_t, std::conditional_t<is_wide, graph::wide_edge, std::uint64_t>>;

  explicit graph_layout(const search_graph& graph) noexcept
      : offsets_(static_cast<const Offset*>(graph.offsets)), edges_(static_cast<const edge_word*>(graph.edges)) {}

  [[nodiscard]] const edge_word* row_begin(graph::vertex_id v) const noexcept { return edges_ + offsets_[v]; }
  [[nodiscard]] const edge_word* row_end(graph::vertex_id v) const noexcept {
    return edges_ + offsets_[v + std::size_t{1}];
  }
  [[nodiscard]] std::size_t edge_count(std::size_t vertices) const noexcept { return offsets_[vertices]; }
  [[nodiscard]] static graph::vertex_id target(edge_word edge) noexcept {
    if constexpr (is_wide) {
      return static_cast<graph::vertex_id>(edge.target);
    } else {
      return static_cast<graph::vertex_id>(edge);
    }
  }
  [[nodiscard]] static bits extend(bits distance, edge_word edge) noexcept {
    if constexpr (UnitWeights) {
      return traits::extend(distance, 1);
    } else if constexpr (is_wide) {
      return traits::extend(distance, edge.weight_bits);
    } else {
      return traits::extend(distance, static_cast<std::uint32_t>(edge >> 32));
    }
  }
  /// Returns the distances that a search on this layout writes.
  [[nodiscard]] static bits* distances_of(const search_request& request) noexcept {
    if constexpr (is_wide) {
      return request.wide_distances;
    } else {
      return request.distances;
    }
  }

  /// Prefetches the offsets of the row.
  void prefetch_row(graph::vertex_id v) const noexcept { __builtin_prefetch(offsets_ + v); }
  /// Prefetches the first edges of the row. Waits for its offsets, which prefetch_row() requests.
  void prefetch_edges(graph::vertex_id v) const noexcept { __builtin_prefetch(row_begin(v)); }

 private:
  const Offset* offsets_;
  const edge_word* edges_;
};

/// Calls visit(x) with an x of the offset type of the graph.
template <class Visitor>
decltype(auto) with_offsets(const search_graph& graph, Visitor&& visit) {
  return graph.wide_offsets ? visit(std::uint64_t{}) : visit(std::uint32_t{});
}

/// Returns whether the distances of searches have 8 bytes.
[[nodiscard]] inline bool has_wide_distances(const search_graph& graph) noexcept {
  return graph.weights == graph::weight_type::float64 && !graph.unit_weights;
}

/// Calls visit(layout) with the graph_layout of `graph`, whose distances are of the type Bits.
template <class Bits, class Visitor>
decltype(auto) with_layout_of(const search_graph& graph, Visitor&& visit) {
  using graph::weight_type;
  return with_offsets(graph, [&]<class Offset>(Offset) -> decltype(auto) {
    if constexpr (std::is_same_v<Bits, graph::wide_distance_bits>) {
      return visit(graph_layout<weight_type::float64, false, Offset>(graph));
    } else {
      if (graph.unit_weights) return visit(graph_layout<weight_type::uint32, true, Offset>(graph));
      if (graph.weights == weight_type::uint32) return visit(graph_layout<weight_type::uint32, false, Offset>(graph));
      return visit(graph_layout<weight_type::float32, false, Offset>(graph));
    }
  });
}

/// Calls visit(layout) with the graph_layout of `graph`.
template <class Visitor>
decltype(auto) with_layout(const search_graph& graph, Visitor&& visit) {
  return has_wide_distances(graph) ? with_layout_of<graph::wide_distance_bits>(graph, visit)
                                   : with_layout_of<graph::distance_bits>(graph, visit);
}

}  // namespace mlmq::cpu
