// SPDX-License-Identifier: Apache-2.0
#include "graph/place_order.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "graph/weight_traits.hpp"

namespace mlmq::graph {
namespace {

constexpr vertex_id none = std::numeric_limits<vertex_id>::max();

/// A graph whose vertices are clusters of vertices.
struct coarse_graph {
  std::vector<edge_offset> offsets;
  std::vector<vertex_id> targets;
  std::vector<vertex_id> edges;  ///< number of original edges that each edge represents
  std::vector<vertex_id> sizes;  ///< number of vertices per cluster

  [[nodiscard]] std::size_t size() const { return offsets.size() - 1; }
};

/// The clusters of one level, with their members, which are clusters of the level below.
struct clusters {
  std::vector<vertex_id> first;  ///< first member of each cluster, and the end
  std::vector<vertex_id> members;

  [[nodiscard]] std::size_t size() const { return first.size() - 1; }
};

/// Returns the neighbour with which `v` shares most edges in relation to its size, or `none` if `may_join` allows no
/// neighbour.
template <class MayJoin>
vertex_id closest(const coarse_graph& graph, std::size_t v, const MayJoin& may_join) {
  vertex_id best = none;
  vertex_id shared = 0;  // number of edges shared with `best`
  for (edge_offset e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
    const vertex_id other = graph.targets[e];
    if (other == v || !may_join(other)) continue;
    if (best == none ||
        std::uint64_t{graph.edges[e]} * graph.sizes[best] > std::uint64_t{shared} * graph.sizes[other]) {
      best = other;
      shared = graph.edges[e];
    }
  }
  return best;
}

/// Matches pairs of neighbours. An unmatched vertex joins the pair of one of its neighbours, or forms its own cluster.
/// @param matched receives the cluster of each vertex
/// @return the number of clusters
std::size_t match(const coarse_graph& graph, std::vector<vertex_id>& matched) {
  matched.assign(graph.size(), none);
  vertex_id count = 0;
  for (std::size_t v = 0; v < graph.size(); ++v) {
    if (matched[v] != none) continue;
    const vertex_id other = closest(graph, v, [&](vertex_id u) { return matched[u] == none; });
    if (other != none) matched[v] = matched[other] = count++;
  }
  for (std::size_t v = 0; v < graph.size(); ++v) {
    if (matched[v] != none) continue;
    const vertex_id other = closest(graph, v, [&](vertex_id u) { return matched[u] != none; });
    matched[v] = other != none ? matched[other] : count++;
  }
  return count;
}

clusters members_of(std::span<const vertex_id> cluster_of, std::size_t count) {
  clusters result{.first = std::vector<vertex_id>(count + 1), .members = std::vector<vertex_id>(cluster_of.size())};
  for (const vertex_id cluster : cluster_of) ++result.first[cluster + 1];
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  std::vector<vertex_id> next(result.first.begin(), result.first.end() - 1);
  for (std::size_t v = 0; v < cluster_of.size(); ++v) result.members[next[cluster_of[v]]++] = static_cast<vertex_id>(v);
  return result;
}

/// Returns the graph of the clusters. Edges between the same two clusters are merged.
coarse_graph contracted(const coarse_graph& graph, std::span<const vertex_id> cluster_of, const clusters& members) {
  coarse_graph result{.offsets = {0}, .targets = {}, .edges = {}, .sizes = std::vector<vertex_id>(members.size())};
  std::vector<edge_offset> place(members.size(), std::numeric_limits<edge_offset>::max());
  for (std::size_t c = 0; c < members.size(); ++c) {
    const edge_offset begin = result.targets.size();
    for (vertex_id i = members.first[c]; i < members.first[c + 1]; ++i) {
      const vertex_id v = members.members[i];
      result.sizes[c] += graph.sizes[v];
      for (edge_offset e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
        const vertex_id other = cluster_of[graph.targets[e]];
        if (other == c) continue;
        const bool is_known = place[other] >= begin && place[other] < result.targets.size();
        if (is_known) {
          result.edges[place[other]] += graph.edges[e];
        } else {
          place[other] = result.targets.size();
          result.targets.push_back(other);
          result.edges.push_back(graph.edges[e]);
        }
      }
    }
    result.offsets.push_back(result.targets.size());
  }
  return result;
}

/// Replaces each cluster in an order by its members.
std::vector<vertex_id> unfolded(std::span<const vertex_id> order, const clusters& level) {
  std::vector<vertex_id> finer;
  finer.reserve(level.members.size());
  for (const vertex_id c : order) {
    finer.insert(finer.end(), level.members.begin() + level.first[c], level.members.begin() + level.first[c + 1]);
  }
  return finer;
}

}  // namespace

std::vector<vertex_id> place_order(const csr_graph& graph) {
  coarse_graph now{.offsets = {graph.offsets().begin(), graph.offsets().end()},
                   .targets = {graph.targets().begin(), graph.targets().end()},
                   .edges = std::vector<vertex_id>(graph.edge_count(), 1),
                   .sizes = std::vector<vertex_id>(graph.vertex_count(), 1)};
  if (now.offsets.empty()) now.offsets = {0};
  std::vector<clusters> levels;
  for (std::vector<vertex_id> cluster_of;;) {
    const std::size_t count = match(now, cluster_of);
    // The remaining graph has hardly any edges: another level would change almost nothing.
    if (count + count / 32 >= now.size()) break;
    levels.push_back(members_of(cluster_of, count));
    now = contracted(now, cluster_of, levels.back());
  }
  std::vector<vertex_id> order(now.size());
  std::iota(order.begin(), order.end(), vertex_id{0});
  for (; !levels.empty(); levels.pop_back()) order = unfolded(order, levels.back());
  return order;
}

std::vector<vertex_id> ranks_of(std::span<const vertex_id> order) {
  std::vector<vertex_id> ranks(order.size(), none);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= order.size() || ranks[order[i]] != none) {
      throw input_error(fmt::format("an order of {} vertices contains {}, which occurs twice or is out of range",
                                    order.size(), order[i]));
    }
    ranks[order[i]] = static_cast<vertex_id>(i);
  }
  return ranks;
}

csr_graph renumbered(const csr_graph& graph, std::span<const vertex_id> order) {
  if (order.size() != graph.vertex_count()) {
    throw input_error(fmt::format("an order of {} vertices for a graph of {}", order.size(), graph.vertex_count()));
  }
  const std::vector<vertex_id> ranks = ranks_of(order);
  const auto offsets = graph.offsets();
  std::vector<edge_offset> starts;
  starts.reserve(order.size() + 1);
  starts.push_back(0);
  std::vector<vertex_id> targets;
  targets.reserve(graph.edge_count());
  return with_weight_traits(graph.weights(), [&]<class Traits>(Traits) {
    using weight = typename Traits::weight;
    const auto bits = Traits::weights_of(graph);
    std::vector<weight> weights;
    weights.reserve(graph.edge_count());
    for (const vertex_id v : order) {
      for (edge_offset e = offsets[v]; e < offsets[v + 1]; ++e) {
        targets.push_back(ranks[graph.targets()[e]]);
        weights.push_back(std::bit_cast<weight>(bits[e]));
      }
      starts.push_back(targets.size());
    }
    return csr_graph(std::move(starts), std::move(targets), std::move(weights));
  });
}

}  // namespace mlmq::graph
