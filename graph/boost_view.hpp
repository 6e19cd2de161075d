// SPDX-License-Identifier: Apache-2.0
// Presents a csr_graph to Boost Graph algorithms (IncidenceGraph and VertexListGraph) without a copy.
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/iterator_facade.hpp>
#include <limits>
#include <utility>

#include "graph/csr.hpp"

namespace mlmq::graph {

class boost_view {
 public:
  struct edge {
    vertex_id source = 0;
    edge_offset position = 0;
    friend bool operator==(const edge&, const edge&) = default;
  };

  class out_edge_iterator : public boost::iterator_facade<out_edge_iterator, edge, boost::forward_traversal_tag, edge> {
   public:
    out_edge_iterator() = default;
    out_edge_iterator(vertex_id source, edge_offset position) : edge_{.source = source, .position = position} {}

   private:
    friend class boost::iterator_core_access;
    [[nodiscard]] edge dereference() const { return edge_; }
    [[nodiscard]] bool equal(const out_edge_iterator& other) const { return edge_ == other.edge_; }
    void increment() { ++edge_.position; }

    edge edge_;
  };

  // Names that boost::graph_traits requires.
  struct traversal_category : boost::incidence_graph_tag, boost::vertex_list_graph_tag {};
  using vertex_descriptor = vertex_id;
  using edge_descriptor = edge;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using vertex_iterator = boost::counting_iterator<vertex_id>;
  using vertices_size_type = vertex_id;
  using degree_size_type = edge_offset;
  using edges_size_type = edge_offset;

  /// @param graph  must outlive the view
  explicit boost_view(const csr_graph& graph) : graph_(&graph) {}
  [[nodiscard]] const csr_graph& graph() const noexcept { return *graph_; }
  [[nodiscard]] static vertex_id null_vertex() { return std::numeric_limits<vertex_id>::max(); }

 private:
  const csr_graph* graph_;
};

// Functions that Boost Graph finds by argument-dependent lookup.
[[nodiscard]] inline vertex_id num_vertices(const boost_view& view) { return view.graph().vertex_count(); }
[[nodiscard]] inline auto vertices(const boost_view& view) {
  return std::pair(boost_view::vertex_iterator(0), boost_view::vertex_iterator(view.graph().vertex_count()));
}
[[nodiscard]] inline auto out_edges(vertex_id v, const boost_view& view) {
  const auto offsets = view.graph().offsets();
  return std::pair(boost_view::out_edge_iterator(v, offsets[v]),
                   boost_view::out_edge_iterator(v, offsets[v + std::size_t{1}]));
}
[[nodiscard]] inline edge_offset out_degree(vertex_id v, const boost_view& view) {
  const auto offsets = view.graph().offsets();
  return offsets[v + std::size_t{1}] - offsets[v];
}
[[nodiscard]] inline vertex_id source(const boost_view::edge& edge, const boost_view&) { return edge.source; }
[[nodiscard]] inline vertex_id target(const boost_view::edge& edge, const boost_view& view) {
  return view.graph().targets()[edge.position];
}

}  // namespace mlmq::graph
