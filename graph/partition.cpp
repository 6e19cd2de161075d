// SPDX-License-Identifier: Apache-2.0
#include "graph/partition.hpp"

#include <fmt/format.h>
#include <metis.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/error.hpp"

namespace mlmq::graph {
namespace {

/// Rows of other vertices, ascending.
struct adjacency {
  std::vector<std::uint64_t> offsets;
  std::vector<vertex_id> targets;
};

/// The edges turned round. Rows are ascending, whatever those of the graph are.
adjacency transposed(std::span<const edge_offset> offsets, std::span<const vertex_id> targets) {
  const std::size_t n = offsets.size() - 1;
  adjacency made{.offsets = std::vector<std::uint64_t>(n + 1), .targets = std::vector<vertex_id>(targets.size())};
  for (const vertex_id target : targets) ++made.offsets[target + 1];
  std::partial_sum(made.offsets.begin(), made.offsets.end(), made.offsets.begin());
  std::vector<std::uint64_t> next(made.offsets.begin(), made.offsets.end() - 1);
  for (std::size_t v = 0; v < n; ++v) {
    for (edge_offset e = offsets[v]; e < offsets[v + 1]; ++e)
      made.targets[next[targets[e]]++] = static_cast<vertex_id>(v);
  }
  return made;
}

/// Each row once, in both directions, without loops: as METIS wants it.
struct undirected {
  std::vector<idx_t> offsets;
  std::vector<idx_t> targets;
};

undirected without_directions(const csr_graph& graph) {
  const adjacency backward = transposed(graph.offsets(), graph.targets());
  const adjacency forward = transposed(backward.offsets, backward.targets);
  if (2 * graph.edge_count() > static_cast<std::uint64_t>(std::numeric_limits<idx_t>::max())) {
    throw work_error(fmt::format("{} edges are too many to split the graph into parts", graph.edge_count()));
  }
  const std::size_t n = graph.vertex_count();
  undirected made;
  made.offsets.reserve(n + 1);
  made.offsets.push_back(0);
  made.targets.reserve(graph.edge_count());
  std::vector<vertex_id> row;
  for (std::size_t v = 0; v < n; ++v) {
    row.clear();
    const auto at = [v](const adjacency& rows, std::size_t end) {
      return rows.targets.begin() + static_cast<std::ptrdiff_t>(rows.offsets[v + end]);
    };
    std::set_union(at(forward, 0), at(forward, 1), at(backward, 0), at(backward, 1), std::back_inserter(row));
    // Parallel edges are there as often as in the direction that has more.
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const vertex_id other : row) {
      if (other != v) made.targets.push_back(static_cast<idx_t>(other));
    }
    made.offsets.push_back(static_cast<idx_t>(made.targets.size()));
  }
  return made;
}

}  // namespace

std::vector<std::uint32_t> partition(const csr_graph& graph, std::span<const std::uint32_t> loads, unsigned parts) {
  const std::size_t n = graph.vertex_count();
  std::vector<std::uint32_t> part_of(n, 0);
  if (parts <= 1 || n == 0) return part_of;
  // METIS is for parts of many vertices.
  if (n < std::size_t{4} * parts) {
    for (std::size_t v = 0; v < n; ++v) part_of[v] = static_cast<std::uint32_t>(v * parts / n);
    return part_of;
  }
  undirected rows = without_directions(graph);
  std::vector<idx_t> weights(loads.begin(), loads.end());
  auto count = static_cast<idx_t>(n);
  idx_t constraints = 1;
  auto wanted = static_cast<idx_t>(parts);
  idx_t cut = 0;
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  constexpr idx_t thousandths_above_mean = 20;
  options[METIS_OPTION_UFACTOR] = thousandths_above_mean;
  options[METIS_OPTION_SEED] = 1;
  std::vector<idx_t> found(n);
  const int status =
      METIS_PartGraphKway(&count, &constraints, rows.offsets.data(), rows.targets.data(), weights.data(), nullptr,
                          nullptr, &wanted, nullptr, nullptr, options.data(), &cut, found.data());
  if (status != METIS_OK)
    throw work_error(fmt::format("METIS could not split the graph into {} parts: status {}", parts, status));
  std::copy(found.begin(), found.end(), part_of.begin());
  return part_of;
}

}  // namespace mlmq::graph
