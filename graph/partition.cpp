// SPDX-License-Identifier: Apache-2.0
#include "graph/partition.hpp"

#include <algorithm>
#include <numeric>

#include "graph/bisection.hpp"
#include "graph/border.hpp"
#include "graph/clusters.hpp"

namespace mlmq::graph {
namespace {

/// Number of clusters per part. Fewer clusters give worse borders, more take longer.
constexpr std::uint64_t clusters_per_part = 40;
constexpr std::size_t vertices_of_job = 8192;
constexpr double most_above_mean = 1.02;

}  // namespace

std::vector<std::uint32_t> partition(const csr_graph& graph, std::span<const std::uint32_t> loads, unsigned parts,
                                     thread_team& team) {
  const std::size_t n = graph.vertex_count();
  std::vector<std::uint32_t> part_of(n, 0);
  if (parts <= 1 || n == 0) return part_of;
  const std::uint64_t total = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  const clusters coarse = cluster(graph, loads, std::max<std::uint64_t>(1, total / parts / clusters_per_part), team);
  const std::vector<std::uint32_t> part_of_cluster = bisect(coarse.between, parts, team);
  team.run_blocks(n, vertices_of_job, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) part_of[v] = part_of_cluster[coarse.cluster_of[v]];
  });
  smooth_borders(graph, loads, parts, most_above_mean * static_cast<double>(total) / parts, part_of, team);
  return part_of;
}

}  // namespace mlmq::graph
