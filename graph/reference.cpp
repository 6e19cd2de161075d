// SPDX-License-Identifier: Apache-2.0
#include "graph/reference.hpp"

#include <fmt/format.h>

#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <functional>

#include "base/error.hpp"
#include "graph/boost_view.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::graph {
namespace {

template <class Traits>
std::vector<typename Traits::bits> search(const csr_graph& graph, vertex_id source) {
  if (source >= graph.vertex_count()) {
    throw input_error(
        fmt::format("source {} is not a vertex; the graph has {} vertices", source, graph.vertex_count()));
  }
  using bits = typename Traits::bits;
  std::vector<bits> distance(graph.vertex_count(), Traits::none);
  const boost_view view(graph);
  const boost::typed_identity_property_map<vertex_id> index;
  const auto weight = boost::make_function_property_map<boost_view::edge>(
      [weights = Traits::weights_of(graph)](const boost_view::edge& edge) { return weights[edge.position]; });
  boost::dijkstra_shortest_paths(view, source, boost::dummy_property_map(),
                                 boost::make_iterator_property_map(distance.begin(), index), weight, index,
                                 std::less<bits>(), Traits::extend, Traits::none, bits{0}, boost::dijkstra_visitor<>());
  return distance;
}

}  // namespace

std::vector<distance_bits> dijkstra(const csr_graph& graph, vertex_id source) {
  return graph.weights() == weight_type::uint32 ? search<weight_traits<weight_type::uint32>>(graph, source)
                                                : search<weight_traits<weight_type::float32>>(graph, source);
}

std::vector<wide_distance_bits> wide_dijkstra(const csr_graph& graph, vertex_id source) {
  return search<weight_traits<weight_type::float64>>(graph, source);
}

}  // namespace mlmq::graph
