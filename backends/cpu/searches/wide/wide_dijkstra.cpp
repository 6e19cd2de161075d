// SPDX-License-Identifier: Apache-2.0
// Dijkstra with lazy deletion on a radix heap, by one thread.
#include <algorithm>
#include <array>
#include <type_traits>

#include "backends/cpu/searches/layout.hpp"
#include "backends/cpu/searches/stop_signal.hpp"
#include "backends/cpu/searches/wide/wide_radix_heap.hpp"
#include "backends/cpu/searches/wide/wide_search.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::cpu {
namespace {

using traits = graph::weight_traits<graph::weight_type::float64>;

constexpr std::size_t announced_ahead = 8;

template <class Rows, bool Counting>
search_result search(const Rows& rows, const wide_request& request, wide_radix_heap& queue) {
  const search_request& query = request.search;
  graph::wide_distance_bits* const distances = request.distances;
  search_result result;
  work_counts& counts = result.counts;
  stop_signal stop(query);
  std::fill(distances, distances + query.graph.vertices, traits::none);
  distances[query.source] = 0;
  queue.clear();
  queue.push({.distance = 0, .vertex = query.source});
  if constexpr (Counting) ++counts.updates;
  // Prefetch the row offsets when an entry comes near, and the edges once the offsets have had time to arrive.
  std::array<graph::vertex_id, announced_ahead> announced{};
  std::size_t announcements = 0;
  const auto announce = [&](const wide_entry& e) {
    graph::vertex_id& previous = announced[announcements++ % announced_ahead];
    rows.prefetch_edges(previous);
    previous = e.vertex;
    rows.prefetch_row(e.vertex);
    __builtin_prefetch(distances + e.vertex);
  };
  std::size_t work = 0;
  while (!queue.empty()) {
    const std::vector<wide_entry>& lowest = queue.lowest(announce);
    // Edges of length 0 may add entries to this bin in the loop.
    for (std::size_t i = 0; i < lowest.size(); ++i) {
      const wide_entry e = lowest[i];
      if (++work % 1024 == 0 && stop.poll()) {
        result.status = stop.status();
        return result;
      }
      if constexpr (Counting) ++counts.pops;
      if (distances[e.vertex] != e.distance) {
        if constexpr (Counting) ++counts.stale_pops;
        continue;
      }
      for (const wide_edge& edge : rows.row(e.vertex)) {
        if constexpr (Counting) ++counts.relaxations;
        const auto target = static_cast<graph::vertex_id>(edge.target);
        const graph::wide_distance_bits offer = traits::extend(e.distance, edge.weight_bits);
        if (offer >= distances[target]) continue;
        distances[target] = offer;
        queue.push({.distance = offer, .vertex = target});
        if constexpr (Counting) ++counts.updates;
      }
    }
    queue.clear_lowest();
  }
  return result;
}

class wide_dijkstra final : public wide_solver {
 public:
  [[nodiscard]] search_result run(thread_team&, const wide_request& request) override {
    return with_offsets(request.search.graph, [&]<class Offset>(Offset) {
      const wide_rows<Offset> rows(request.search.graph);
      return request.search.count ? search<wide_rows<Offset>, true>(rows, request, queue_)
                                  : search<wide_rows<Offset>, false>(rows, request, queue_);
    });
  }

 private:
  wide_radix_heap queue_;
};

}  // namespace

std::unique_ptr<wide_solver> make_wide_dijkstra() { return std::make_unique<wide_dijkstra>(); }

std::unique_ptr<wide_solver> make_wide_solver(std::string_view name) {
  if (name == "boost_dijkstra") return make_wide_boost_dijkstra();
  if (name == "dijkstra") return make_wide_dijkstra();
  if (name == "delta_stepping") return make_wide_delta_stepping();
  return nullptr;
}

}  // namespace mlmq::cpu
