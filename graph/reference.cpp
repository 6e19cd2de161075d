// SPDX-License-Identifier: Apache-2.0
#include "graph/reference.hpp"

#include <fmt/format.h>

#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <functional>

#include "base/error.hpp"
#include "graph/arithmetic.hpp"
#include "graph/boost_view.hpp"

namespace mlmq::graph {
namespace {

template <weight_type Type>
void search(const csr_graph& graph, vertex_id source, std::vector<distance_bits>& distance) {
  const boost_view view(graph);
  const boost::typed_identity_property_map<vertex_id> index;
  const auto weight = boost::make_function_property_map<boost_view::edge>(
      [bits = graph.weight_bits()](const boost_view::edge& edge) { return bits[edge.position]; });
  boost::dijkstra_shortest_paths(
      view, source, boost::dummy_property_map(), boost::make_iterator_property_map(distance.begin(), index), weight,
      index, std::less<distance_bits>(), extend_by<Type>, unreached, distance_bits{0}, boost::dijkstra_visitor<>());
}

}  // namespace

std::vector<distance_bits> dijkstra(const csr_graph& graph, vertex_id source) {
  if (source >= graph.vertex_count()) {
    throw input_error(
        fmt::format("source {} is not a vertex, the graph has {} vertices", source, graph.vertex_count()));
  }
  std::vector<distance_bits> distance(graph.vertex_count(), unreached);
  if (graph.weights() == weight_type::uint32) {
    search<weight_type::uint32>(graph, source, distance);
  } else {
    search<weight_type::float32>(graph, source, distance);
  }
  return distance;
}

}  // namespace mlmq::graph
