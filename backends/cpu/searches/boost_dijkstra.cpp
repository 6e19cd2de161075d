// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/boost_dijkstra.hpp"

#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <functional>

#include "backends/cpu/searches/stop_signal.hpp"
#include "graph/arithmetic.hpp"
#include "graph/boost_view.hpp"

namespace mlmq::cpu {
namespace {

/// Exception that stops Boost's algorithm early; it offers no other way.
struct stopped {};

/// Boost copies visitors, so all copies refer to the same counters.
class watcher : public boost::dijkstra_visitor<> {
 public:
  watcher(stop_signal& stop, work_counts& counts) : stop_(&stop), counts_(&counts) {}

  template <class Graph>
  void examine_vertex(graph::vertex_id, const Graph&) {
    if (++counts_->pops % 1024 == 0 && stop_->poll()) throw stopped();
  }
  template <class Edge, class Graph>
  void examine_edge(const Edge&, const Graph&) {
    ++counts_->relaxations;
  }
  template <class Edge, class Graph>
  void edge_relaxed(const Edge&, const Graph&) {
    ++counts_->updates;
  }

 private:
  stop_signal* stop_;
  work_counts* counts_;
};

template <graph::weight_type Type>
void search(const search_request& request, const watcher& visitor) {
  const graph::boost_view view(*request.graph.csr);
  const boost::typed_identity_property_map<graph::vertex_id> index;
  const auto weight = boost::make_function_property_map<graph::boost_view::edge>(
      [bits = request.graph.csr->weight_bits()](const graph::boost_view::edge& edge) { return bits[edge.position]; });
  boost::dijkstra_shortest_paths(view, request.source, boost::dummy_property_map(),
                                 boost::make_iterator_property_map(request.distances, index), weight, index,
                                 std::less<graph::distance_bits>(), graph::extend_by<Type>, graph::unreached,
                                 graph::distance_bits{0}, visitor);
}

}  // namespace

search_result boost_dijkstra::run(thread_team&, const search_request& request) {
  stop_signal stop(request);
  search_result result;
  result.counts.updates = 1;  // the source's
  const watcher visitor(stop, result.counts);
  try {
    if (request.graph.csr->weights() == graph::weight_type::uint32) {
      search<graph::weight_type::uint32>(request, visitor);
    } else {
      search<graph::weight_type::float32>(request, visitor);
    }
  } catch (const stopped&) {
    result.status = stop.status();
  }
  if (!request.count) result.counts = {};
  return result;
}

}  // namespace mlmq::cpu
