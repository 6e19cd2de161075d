// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/boost_dijkstra.hpp"

#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <functional>

#include "backends/cpu/searches/stop_signal.hpp"
#include "graph/boost_view.hpp"
#include "graph/weight_traits.hpp"

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

/// @param distances one word per vertex
template <class Traits>
void search(const search_request& request, typename Traits::bits* distances, const watcher& visitor) {
  const graph::boost_view view(*request.graph.csr);
  const boost::typed_identity_property_map<graph::vertex_id> index;
  const auto weight = boost::make_function_property_map<graph::boost_view::edge>(
      [bits = Traits::weights_of(*request.graph.csr)](const graph::boost_view::edge& edge) {
        return bits[edge.position];
      });
  boost::dijkstra_shortest_paths(
      view, request.source, boost::dummy_property_map(), boost::make_iterator_property_map(distances, index), weight,
      index, std::less<typename Traits::bits>(), Traits::extend, Traits::none, typename Traits::bits{0}, visitor);
}

}  // namespace

search_result boost_dijkstra::run(thread_team&, const search_request& request) {
  stop_signal stop(request);
  search_result result;
  result.counts.updates = 1;  // initial distance of the source
  const watcher visitor(stop, result.counts);
  try {
    graph::with_weight_traits(request.graph.csr->weights(), [&]<class Traits>(Traits) {
      if constexpr (Traits::type == graph::weight_type::float64) {
        search<Traits>(request, request.wide_distances, visitor);
      } else {
        search<Traits>(request, request.distances, visitor);
      }
    });
  } catch (const stopped&) {
    result.status = stop.status();
  }
  if (!request.count) result.counts = {};
  return result;
}

}  // namespace mlmq::cpu
