// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/simple_graph.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/builder.hpp"

namespace mlmq::betweenness {
namespace {

bool is_simple(const graph::csr_graph& graph) {
  // The last source of an edge to each vertex.
  std::vector<graph::vertex_id> last(graph.vertex_count(), graph.vertex_count());
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    for (graph::edge_offset i = graph.offsets()[v]; i < graph.offsets()[v + std::size_t{1}]; ++i) {
      const graph::vertex_id target = graph.targets()[i];
      if (target == v || last[target] == v) return false;
      last[target] = v;
    }
  }
  return true;
}

/// Target and weight of each edge, by rows.
using edge_rows = std::vector<std::pair<graph::vertex_id, std::uint32_t>>;

}  // namespace

graph::csr_graph simple_graph(const graph::csr_graph& graph) {
  if (is_simple(graph)) return graph;
  graph::edge_list edges;
  edges.type = graph.weights();
  edges.sources.reserve(graph.edge_count());
  edges.targets.assign(graph.targets().begin(), graph.targets().end());
  if (edges.type == graph::weight_type::float64) {
    edges.wide_weight_bits.assign(graph.wide_weight_bits().begin(), graph.wide_weight_bits().end());
  } else {
    edges.weight_bits.assign(graph.weight_bits().begin(), graph.weight_bits().end());
  }
  for (graph::vertex_id v = 0; v < graph.vertex_count(); ++v) {
    edges.sources.insert(edges.sources.end(), graph.offsets()[v + std::size_t{1}] - graph.offsets()[v], v);
  }
  return graph::build_csr(graph.vertex_count(), edges, {.drop_self_loops = true, .merge_duplicates = true})
      .with_ids(graph.ids());
}

bool is_undirected(const graph::csr_graph& graph) {
  const std::size_t n = graph.vertex_count();
  std::vector<std::size_t> next(n + 1, 0);
  for (const graph::vertex_id target : graph.targets()) ++next[target + std::size_t{1}];
  for (std::size_t v = 0; v < n; ++v) next[v + 1] += next[v];
  if (!std::ranges::equal(next, graph.offsets())) return false;
  // Reversed rows are sorted.
  edge_rows turned(graph.edge_count());
  for (graph::vertex_id v = 0; v < n; ++v) {
    for (graph::edge_offset i = graph.offsets()[v]; i < graph.offsets()[v + std::size_t{1}]; ++i) {
      turned[next[graph.targets()[i]]++] = {v, graph.weight_bits()[i]};
    }
  }
  edge_rows row;
  for (std::size_t v = 0; v < n; ++v) {
    row.clear();
    for (graph::edge_offset i = graph.offsets()[v]; i < graph.offsets()[v + 1]; ++i) {
      row.emplace_back(graph.targets()[i], graph.weight_bits()[i]);
    }
    std::ranges::sort(row);
    if (!std::equal(row.begin(), row.end(), turned.begin() + static_cast<std::ptrdiff_t>(graph.offsets()[v]))) {
      return false;
    }
  }
  return true;
}

}  // namespace mlmq::betweenness
