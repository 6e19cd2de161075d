// SPDX-License-Identifier: Apache-2.0
#include "graph/undirected_rows.hpp"

#include <algorithm>
#include <numeric>

namespace mlmq::graph {
namespace {

constexpr std::size_t rows_of_job = 16'384;

}  // namespace

undirected_rows to_undirected(const csr_graph& graph, thread_team& team) {
  const std::span<const edge_offset> offsets = graph.offsets();
  const std::span<const vertex_id> targets = graph.targets();
  const std::size_t n = graph.vertex_count();
  std::vector<std::size_t> begins(n + 1, 0);
  for (vertex_id v = 0; v < n; ++v) {
    for (edge_offset e = offsets[v]; e < offsets[v + 1]; ++e) {
      if (targets[e] == v) continue;
      ++begins[v + 1];
      ++begins[targets[e] + 1];
    }
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<vertex_id> neighbours(begins[n]);
  std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
  for (vertex_id v = 0; v < n; ++v) {
    for (edge_offset e = offsets[v]; e < offsets[v + 1]; ++e) {
      if (targets[e] == v) continue;
      neighbours[next[v]++] = targets[e];
      neighbours[next[targets[e]]++] = v;
    }
  }
  // next[v] becomes the end of the row without duplicates.
  team.run_blocks(n, rows_of_job, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
      const auto row = std::span(neighbours).subspan(begins[v], begins[v + 1] - begins[v]);
      std::ranges::sort(row);
      next[v] = begins[v] + static_cast<std::size_t>(std::ranges::unique(row).begin() - row.begin());
    }
  });
  undirected_rows rows;
  rows.offsets.assign(n + 1, 0);
  for (std::size_t v = 0; v < n; ++v) rows.offsets[v + 1] = rows.offsets[v] + next[v] - begins[v];
  rows.targets.resize(rows.offsets[n]);
  team.run_blocks(n, rows_of_job, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
      std::copy_n(neighbours.begin() + static_cast<std::ptrdiff_t>(begins[v]), next[v] - begins[v],
                  rows.targets.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v]));
    }
  });
  return rows;
}

}  // namespace mlmq::graph
