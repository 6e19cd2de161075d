// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/reached_share.hpp"

#include <algorithm>
#include <cstddef>

#include "base/stop.hpp"
#include "problems/multi_source/host_search_graph.hpp"
#include "problems/multi_source/sequential_search.hpp"

namespace mlmq::multi_source {

double estimate_reached_share(const graph::csr_graph& graph, problems::search_kind kind,
                              std::span<const graph::vertex_id> sources, graph::wide_distance_bits cutoff) {
  constexpr std::size_t most_searches = 8;
  constexpr std::size_t enough_vertices = 1'000'000;
  const host_search_graph rows(graph, kind);
  sequential_search searcher(rows.view());
  const auto stop = [] {
    throw_if_stopped();
    return false;
  };
  const std::size_t samples = std::min(most_searches, sources.size());
  std::size_t reached = 0;
  std::size_t searches = 0;
  while (searches < samples && reached < enough_vertices) {
    (void)searcher.run(sources[searches * sources.size() / samples], {}, 0, cutoff, stop);
    reached += rows.is_wide() ? answer_of(searcher.wide_distances()).reached : answer_of(searcher.distances()).reached;
    ++searches;
  }
  return static_cast<double>(reached) / (static_cast<double>(searches) * graph.vertex_count());
}

}  // namespace mlmq::multi_source
