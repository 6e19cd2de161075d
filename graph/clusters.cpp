// SPDX-License-Identifier: Apache-2.0
#include "graph/clusters.hpp"

#include <numeric>

namespace mlmq::graph {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFFu;

/// Assignment of vertices to clusters. The vertices of cluster c are members[first[c]] … members[first[c + 1] - 1].
struct grouping {
  std::vector<std::uint32_t> cluster_of;
  std::vector<vertex_id> members;
  std::vector<std::size_t> first;
  std::vector<std::uint64_t> loads;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(loads.size()); }
};

/// Grows clusters one after the other. A cluster starts from a vertex next to an earlier cluster, if there is one.
class grower {
 public:
  grower(const csr_graph& graph, std::span<const std::uint32_t> loads, std::uint64_t enough)
      : offsets_(graph.offsets()), targets_(graph.targets()), loads_(loads), enough_(enough) {}

  [[nodiscard]] grouping grow() {
    const std::size_t n = loads_.size();
    grouping_.cluster_of.assign(n, none);
    grouping_.members.reserve(n);
    while (grouping_.members.size() < n) grow_from(seed());
    grouping_.first.push_back(n);
    return std::move(grouping_);
  }

 private:
  /// Returns the start vertex of the next cluster: an unassigned neighbour of earlier clusters, or the first unassigned
  /// vertex.
  vertex_id seed() {
    for (; next_met_ < met_.size(); ++next_met_) {
      if (grouping_.cluster_of[met_[next_met_]] == none) return met_[next_met_];
    }
    while (grouping_.cluster_of[next_] != none) ++next_;
    return next_;
  }

  void grow_from(vertex_id seed) {
    const std::size_t first = grouping_.members.size();
    const std::uint32_t number = grouping_.count();
    grouping_.first.push_back(first);
    grouping_.loads.push_back(0);
    join(seed, number);
    std::size_t next = first;
    for (; next < grouping_.members.size() && grouping_.loads.back() < enough_; ++next) {
      const vertex_id v = grouping_.members[next];
      for (edge_offset e = offsets_[v]; e < offsets_[v + 1] && grouping_.loads.back() < enough_; ++e) {
        if (grouping_.cluster_of[targets_[e]] == none) join(targets_[e], number);
      }
    }
    // The loop above may have stopped in the middle of the last row.
    for (next = next > first ? next - 1 : next; next < grouping_.members.size(); ++next) {
      const vertex_id v = grouping_.members[next];
      for (edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
        if (grouping_.cluster_of[targets_[e]] == none) met_.push_back(targets_[e]);
      }
    }
  }

  void join(vertex_id v, std::uint32_t number) {
    grouping_.cluster_of[v] = number;
    grouping_.loads.back() += loads_[v];
    grouping_.members.push_back(v);
  }

  std::span<const edge_offset> offsets_;
  std::span<const vertex_id> targets_;
  std::span<const std::uint32_t> loads_;
  std::uint64_t enough_;
  grouping grouping_;
  std::vector<vertex_id> met_;
  std::size_t next_met_ = 0;
  vertex_id next_ = 0;
};

/// Merges clusters with less than half the required load into the lightest neighbour that has room.
grouping without_crumbs(const csr_graph& graph, grouping groups, std::uint64_t enough) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  std::vector<std::uint32_t> joined(groups.count());
  std::iota(joined.begin(), joined.end(), 0U);
  const auto end_of = [&](std::uint32_t group) {
    while (joined[group] != group) group = joined[group];
    return group;
  };
  for (std::uint32_t group = 0; group < groups.count(); ++group) {
    // The cluster may have grown since.
    if (groups.loads[group] >= enough / 2) continue;
    std::uint32_t best = none;
    for (std::size_t i = groups.first[group]; i < groups.first[group + 1]; ++i) {
      const vertex_id v = groups.members[i];
      for (edge_offset e = offsets[v]; e < offsets[v + 1]; ++e) {
        const std::uint32_t other = end_of(groups.cluster_of[targets[e]]);
        if (other == group || groups.loads[other] + groups.loads[group] > 2 * enough) continue;
        if (best == none || groups.loads[other] < groups.loads[best]) best = other;
      }
    }
    if (best == none) continue;
    joined[group] = best;
    groups.loads[best] += groups.loads[group];
  }
  grouping fewer;
  std::vector<std::uint32_t> number(groups.count(), none);
  for (std::uint32_t group = 0; group < groups.count(); ++group) {
    if (joined[group] != group) continue;
    number[group] = fewer.count();
    fewer.loads.push_back(groups.loads[group]);
  }
  fewer.first.assign(fewer.loads.size() + 1, 0);
  for (std::uint32_t group = 0; group < groups.count(); ++group) {
    number[group] = number[end_of(group)];
    fewer.first[number[group] + 1] += groups.first[group + 1] - groups.first[group];
  }
  std::partial_sum(fewer.first.begin(), fewer.first.end(), fewer.first.begin());
  std::vector<std::size_t> next(fewer.first.begin(), fewer.first.end() - 1);
  fewer.members.resize(groups.members.size());
  fewer.cluster_of = std::move(groups.cluster_of);
  for (std::uint32_t group = 0; group < groups.count(); ++group) {
    for (std::size_t i = groups.first[group]; i < groups.first[group + 1]; ++i) {
      const vertex_id v = groups.members[i];
      fewer.cluster_of[v] = number[group];
      fewer.members[next[number[group]]++] = v;
    }
  }
  return fewer;
}

/// Returns the edges between clusters in both directions. Edges between the same two clusters are merged and counted.
weighted_rows rows_between(const csr_graph& graph, const grouping& groups) {
  struct edge {
    std::uint32_t source, target, count;
  };
  std::vector<edge> edges;
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  std::vector<std::uint32_t> seen_by(groups.count(), none);
  std::vector<std::size_t> positions(groups.count());
  for (std::uint32_t group = 0; group < groups.count(); ++group) {
    for (std::size_t i = groups.first[group]; i < groups.first[group + 1]; ++i) {
      const vertex_id v = groups.members[i];
      for (edge_offset e = offsets[v]; e < offsets[v + 1]; ++e) {
        const std::uint32_t other = groups.cluster_of[targets[e]];
        if (other == group) continue;
        if (seen_by[other] != group) {
          seen_by[other] = group;
          positions[other] = edges.size();
          edges.push_back({group, other, 0});
        }
        ++edges[positions[other]].count;
      }
    }
  }
  weighted_rows rows;
  rows.offsets.assign(std::size_t{groups.count()} + 1, 0);
  for (const edge& arc : edges) {
    ++rows.offsets[std::size_t{arc.source} + 1];
    ++rows.offsets[std::size_t{arc.target} + 1];
  }
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.targets.resize(rows.offsets.back());
  rows.edge_weights.resize(rows.offsets.back());
  std::vector<std::size_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  const auto add = [&](std::uint32_t source, std::uint32_t target, std::uint32_t count) {
    rows.targets[next[source]] = target;
    rows.edge_weights[next[source]++] = count;
  };
  for (const edge& arc : edges) {
    add(arc.source, arc.target, arc.count);
    add(arc.target, arc.source, arc.count);
  }
  return rows;
}

}  // namespace

clusters cluster(const csr_graph& graph, std::span<const std::uint32_t> loads, std::uint64_t enough) {
  grouping groups = without_crumbs(graph, grower(graph, loads, enough).grow(), enough);
  clusters result{.cluster_of = {}, .between = rows_between(graph, groups)};
  result.between.vertex_weights = std::move(groups.loads);
  result.cluster_of = std::move(groups.cluster_of);
  return result;
}

}  // namespace mlmq::graph
