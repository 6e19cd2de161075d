// SPDX-License-Identifier: Apache-2.0
// Boost Graph's Dijkstra with its indexed heap, by one thread.
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <functional>

#include "backends/cpu/searches/stop_signal.hpp"
#include "backends/cpu/searches/wide/wide_search.hpp"
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

class wide_boost_dijkstra final : public wide_solver {
 public:
  [[nodiscard]] search_result run(thread_team&, const wide_request& request) override {
    using traits = graph::weight_traits<graph::weight_type::float64>;
    stop_signal stop(request.search);
    search_result result;
    result.counts.updates = 1;  // the source's
    const graph::csr_graph& graph = *request.search.graph.csr;
    const boost::typed_identity_property_map<graph::vertex_id> index;
    const auto weight = boost::make_function_property_map<graph::boost_view::edge>(
        [bits = graph.wide_weight_bits()](const graph::boost_view::edge& edge) { return bits[edge.position]; });
    try {
      boost::dijkstra_shortest_paths(graph::boost_view(graph), request.search.source, boost::dummy_property_map(),
                                     boost::make_iterator_property_map(request.distances, index), weight, index,
                                     std::less<traits::bits>(), traits::extend, traits::none, traits::bits{0},
                                     watcher(stop, result.counts));
    } catch (const stopped&) {
      result.status = stop.status();
    }
    if (!request.search.count) result.counts = {};
    return result;
  }
};

}  // namespace

std::unique_ptr<wide_solver> make_wide_boost_dijkstra() { return std::make_unique<wide_boost_dijkstra>(); }

}  // namespace mlmq::cpu
