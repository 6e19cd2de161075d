// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/searches/dijkstra.hpp"

#include <algorithm>
#include <array>

#include "backends/cpu/searches/layout.hpp"
#include "backends/cpu/searches/stop_signal.hpp"

namespace mlmq::cpu {
namespace {

constexpr std::size_t announced_ahead = 8;

template <class Layout, bool Counting>
search_result search(const Layout& graph, const search_request& request,
                     radix_heap<entry_of<typename Layout::bits>>& queue) {
  using bits = typename Layout::bits;
  bits* const distances = Layout::distances_of(request);
  search_result result;
  work_counts& counts = result.counts;
  stop_signal stop(request);
  std::fill(distances, distances + request.graph.vertices, Layout::traits::none);
  queue.clear();
  begin_search<bits>(request, [&](graph::vertex_id vertex, bits distance) {
    distances[vertex] = distance;
    queue.push(make_entry(distance, vertex));
    if constexpr (Counting) ++counts.updates;
  });
  // Prefetch the row offsets when an entry comes near, and the edges once the offsets have had time to arrive.
  std::array<graph::vertex_id, announced_ahead> announced{};
  std::size_t announcements = 0;
  const auto announce = [&](entry_of<bits> e) {
    graph::vertex_id& previous = announced[announcements++ % announced_ahead];
    graph.prefetch_edges(previous);
    previous = vertex_of(e);
    graph.prefetch_row(vertex_of(e));
    __builtin_prefetch(distances + vertex_of(e));
  };
  std::size_t work = 0;
  while (!queue.empty()) {
    entry_buffer<entry_of<bits>>& lowest = queue.lowest(announce);
    // Edges of length 0 may add entries to this bin in the loop.
    for (std::size_t i = 0; i < lowest.size(); ++i) {
      const graph::vertex_id v = vertex_of(lowest[i]);
      const bits distance = distance_of(lowest[i]);
      if (++work % 1024 == 0 && stop.poll()) {
        result.status = stop.status();
        return result;
      }
      if constexpr (Counting) ++counts.pops;
      if (distances[v] != distance) {
        if constexpr (Counting) ++counts.stale_pops;
        continue;
      }
      const auto* const end = graph.row_end(v);
      for (const auto* edge = graph.row_begin(v); edge != end; ++edge) {
        if constexpr (Counting) ++counts.relaxations;
        const graph::vertex_id target = Layout::target(*edge);
        const bits offer = Layout::extend(distance, *edge);
        if (offer >= distances[target]) continue;
        if constexpr (Counting) ++counts.updates;
        distances[target] = offer;
        queue.push(make_entry(offer, target));
      }
    }
    queue.clear_lowest();
  }
  return result;
}

}  // namespace

search_result dijkstra::run(thread_team&, const search_request& request) {
  return with_layout(request.graph, [&]<class Layout>(const Layout& graph) {
    auto& queue = std::get<radix_heap<entry_of<typename Layout::bits>>>(queues_);
    return request.count ? search<Layout, true>(graph, request, queue) : search<Layout, false>(graph, request, queue);
  });
}

}  // namespace mlmq::cpu
