// SPDX-License-Identifier: Apache-2.0
// Typed view of a search_graph: offset width, weight type and unit weights become template parameters.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "backends/cpu/searches/search.hpp"
#include "graph/arithmetic.hpp"

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

template <graph::weight_type Weights, bool UnitWeights, class Offset>
class graph_layout {
 public:
  using edge_word = std::conditional_t<UnitWeights, std::uint32_t, std::uint64_t>;
  static constexpr graph::weight_type weights = Weights;

  explicit graph_layout(const search_graph& graph) noexcept
      : offsets_(static_cast<const Offset*>(graph.offsets)), edges_(static_cast<const edge_word*>(graph.edges)) {}

  [[nodiscard]] const edge_word* row_begin(graph::vertex_id v) const noexcept { return edges_ + offsets_[v]; }
  [[nodiscard]] const edge_word* row_end(graph::vertex_id v) const noexcept {
    return edges_ + offsets_[v + std::size_t{1}];
  }
  [[nodiscard]] std::size_t edge_count(std::size_t vertices) const noexcept { return offsets_[vertices]; }
  [[nodiscard]] static graph::vertex_id target(edge_word edge) noexcept { return static_cast<graph::vertex_id>(edge); }
  [[nodiscard]] static graph::distance_bits extend(graph::distance_bits distance, edge_word edge) noexcept {
    if constexpr (UnitWeights) {
      return graph::extend_by<graph::weight_type::uint32>(distance, 1);
    } else {
      return graph::extend_by<Weights>(distance, static_cast<std::uint32_t>(edge >> 32));
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

/// Calls visit(layout) with the graph_layout of `graph`.
template <class Visitor>
decltype(auto) with_layout(const search_graph& graph, Visitor&& visit) {
  using graph::weight_type;
  return with_offsets(graph, [&]<class Offset>(Offset) -> decltype(auto) {
    if (graph.unit_weights) return visit(graph_layout<weight_type::uint32, true, Offset>(graph));
    if (graph.weights == weight_type::uint32) return visit(graph_layout<weight_type::uint32, false, Offset>(graph));
    return visit(graph_layout<weight_type::float32, false, Offset>(graph));
  });
}

}  // namespace mlmq::cpu
