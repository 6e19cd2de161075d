// SPDX-License-Identifier: Apache-2.0
#include "graph/clusters.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mlmq::graph {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFFu;
/// Number of regions whose clusters grow in parallel. It does not depend on the number of threads, so that the
/// clusters do not either.
constexpr std::size_t regions = 16;
/// Smaller graphs are one region: the borders of regions would cost more than the time saved.
constexpr std::size_t vertices_of_regions = 50'000;
/// Share of edges between regions above which there is one region.
constexpr double most_leading_out = 0.2;
constexpr std::size_t clusters_of_job = 128;

/// Assignment of vertices to clusters. The vertices of cluster c are members[first[c]] … members[first[c + 1] - 1].
struct grouping {
  uninitialized_vector<std::uint32_t> cluster_of;  ///< one for all regions; empty in the clusters of a region
  uninitialized_vector<vertex_id> members;
  std::vector<std::size_t> first;
  std::vector<std::uint64_t> loads;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(loads.size()); }
};

/// Grows clusters of the vertices of one region, one after the other. A cluster starts from a vertex next to an earlier
/// cluster, if there is one.
class grower {
 public:
  /// @param cluster_of `none` for the vertices of the region. Only these elements are read and set, to numbers that
  ///   start at 0 in each region.
  grower(const csr_graph& graph, std::span<const std::uint32_t> loads, std::uint64_t enough,
         std::span<std::uint32_t> cluster_of)
      : offsets_(graph.offsets()), targets_(graph.targets()), loads_(loads), enough_(enough), cluster_of_(cluster_of) {}

  [[nodiscard]] grouping grow(vertex_id begin, vertex_id end) {
    begin_ = begin;
    end_ = end;
    next_ = begin;
    clusters_.members.reserve(end - begin);
    while (clusters_.members.size() < end - begin) grow_from(seed());
    clusters_.first.push_back(clusters_.members.size());
    return std::move(clusters_);
  }

 private:
  /// Returns whether a vertex belongs to the region, but to no cluster yet.
  [[nodiscard]] bool is_free(vertex_id v) const { return v >= begin_ && v < end_ && cluster_of_[v] == none; }

  /// Returns the start vertex of the next cluster: an unassigned neighbour of earlier clusters, or the first unassigned
  /// vertex.
  vertex_id seed() {
    for (; next_met_ < met_.size(); ++next_met_) {
      if (is_free(met_[next_met_])) return met_[next_met_];
    }
    while (!is_free(next_)) ++next_;
    return next_;
  }

  void grow_from(vertex_id seed) {
    const std::size_t first = clusters_.members.size();
    const auto number = static_cast<std::uint32_t>(clusters_.loads.size());
    clusters_.first.push_back(first);
    clusters_.loads.push_back(0);
    join(seed, number);
    std::size_t next = first;
    for (; next < clusters_.members.size() && clusters_.loads.back() < enough_; ++next) {
      const vertex_id v = clusters_.members[next];
      for (edge_offset e = offsets_[v]; e < offsets_[v + 1] && clusters_.loads.back() < enough_; ++e) {
        if (is_free(targets_[e])) join(targets_[e], number);
      }
    }
    // The loop above may have stopped in the middle of the last row.
    for (next = next > first ? next - 1 : next; next < clusters_.members.size(); ++next) {
      const vertex_id v = clusters_.members[next];
      for (edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
        if (is_free(targets_[e])) met_.push_back(targets_[e]);
      }
    }
  }

  void join(vertex_id v, std::uint32_t number) {
    cluster_of_[v] = number;
    clusters_.loads.back() += loads_[v];
    clusters_.members.push_back(v);
  }

  std::span<const edge_offset> offsets_;
  std::span<const vertex_id> targets_;
  std::span<const std::uint32_t> loads_;
  std::uint64_t enough_;
  std::span<std::uint32_t> cluster_of_;
  vertex_id begin_ = 0;
  vertex_id end_ = 0;
  grouping clusters_;
  std::vector<vertex_id> met_;
  std::size_t next_met_ = 0;
  vertex_id next_ = 0;
};

/// Returns the number of vertices per region. Regions are ranges of vertex numbers whose clusters grow in parallel.
/// Where too many edges would lead out of their region, all vertices are one region.
std::size_t region_size(const csr_graph& graph, thread_team& team) {
  const std::size_t n = graph.vertex_count();
  if (n < vertices_of_regions) return std::max<std::size_t>(1, n);
  const std::size_t size = (n + regions - 1) / regions;
  std::vector<edge_offset> leading_out((n + size - 1) / size);
  team.run_blocks(n, size, [&](std::size_t region, std::size_t begin, std::size_t end) {
    const auto inside = graph.targets().subspan(graph.offsets()[begin], graph.offsets()[end] - graph.offsets()[begin]);
    leading_out[region] = static_cast<edge_offset>(
        std::ranges::count_if(inside, [&](vertex_id target) { return target < begin || target >= end; }));
  });
  const edge_offset total = std::accumulate(leading_out.begin(), leading_out.end(), edge_offset{0});
  return static_cast<double>(total) <= most_leading_out * static_cast<double>(graph.edge_count()) ? size : n;
}

/// Grows clusters in all regions.
grouping grow_clusters(const csr_graph& graph, std::span<const std::uint32_t> loads, std::uint64_t enough,
                       thread_team& team) {
  const std::size_t n = graph.vertex_count();
  const std::size_t size = region_size(graph, team);
  grouping clustering;
  clustering.cluster_of.resize(n);
  std::vector<grouping> region_clusters((n + size - 1) / size);
  team.run_blocks(n, size, [&](std::size_t region, std::size_t begin, std::size_t end) {
    std::fill(clustering.cluster_of.begin() + static_cast<std::ptrdiff_t>(begin),
              clustering.cluster_of.begin() + static_cast<std::ptrdiff_t>(end), none);
    region_clusters[region] = grower(graph, loads, enough, clustering.cluster_of)
                                  .grow(static_cast<vertex_id>(begin), static_cast<vertex_id>(end));
  });
  std::vector<std::uint32_t> first_cluster;
  for (std::size_t region = 0; region < region_clusters.size(); ++region) {
    first_cluster.push_back(clustering.count());
    clustering.loads.insert(clustering.loads.end(), region_clusters[region].loads.begin(),
                            region_clusters[region].loads.end());
    for (std::size_t i = 0; i < region_clusters[region].loads.size(); ++i) {
      clustering.first.push_back(region * size + region_clusters[region].first[i]);
    }
  }
  clustering.first.push_back(n);
  clustering.members.resize(n);
  team.run_blocks(n, size, [&](std::size_t region, std::size_t begin, std::size_t end) {
    std::ranges::copy(region_clusters[region].members, clustering.members.begin() + static_cast<std::ptrdiff_t>(begin));
    for (std::size_t v = begin; v < end; ++v) clustering.cluster_of[v] += first_cluster[region];
  });
  return clustering;
}

/// Merges clusters with less than half the required load into the lightest neighbour that has room. Those without
/// neighbours, of which graphs with hubs have many, are merged with each other.
grouping without_crumbs(const csr_graph& graph, grouping groups, std::uint64_t enough, thread_team& team) {
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  std::vector<std::uint32_t> joined(groups.count());
  std::iota(joined.begin(), joined.end(), 0U);
  const auto end_of = [&](std::uint32_t group) {
    while (joined[group] != group) group = joined[group];
    return group;
  };
  std::uint32_t last_isolated = none;
  for (std::uint32_t group = 0; group < groups.count(); ++group) {
    // The cluster may have grown since.
    if (groups.loads[group] >= enough / 2) continue;
    std::uint32_t best = none;
    bool is_isolated = true;
    for (std::size_t i = groups.first[group]; i < groups.first[group + 1]; ++i) {
      const vertex_id v = groups.members[i];
      for (edge_offset e = offsets[v]; e < offsets[v + 1]; ++e) {
        const std::uint32_t other = end_of(groups.cluster_of[targets[e]]);
        is_isolated = is_isolated && groups.cluster_of[targets[e]] == group;
        if (other == group || groups.loads[other] + groups.loads[group] > 2 * enough) continue;
        if (best == none || groups.loads[other] < groups.loads[best]) best = other;
      }
    }
    if (is_isolated) {
      const bool has_room = last_isolated != none && groups.loads[last_isolated] + groups.loads[group] <= enough;
      best = std::exchange(last_isolated, has_room ? last_isolated : group);
      if (!has_room) continue;
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
  // Where the vertices of each old cluster go.
  std::vector<std::size_t> next(fewer.first.begin(), fewer.first.end() - 1);
  std::vector<std::size_t> place(groups.count());
  for (std::uint32_t group = 0; group < groups.count(); ++group) {
    place[group] = next[number[group]];
    next[number[group]] += groups.first[group + 1] - groups.first[group];
  }
  fewer.members.resize(groups.members.size());
  fewer.cluster_of = std::move(groups.cluster_of);
  team.run_blocks(groups.count(), clusters_of_job, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t group = begin; group < end; ++group) {
      for (std::size_t i = groups.first[group]; i < groups.first[group + 1]; ++i) {
        const vertex_id v = groups.members[i];
        fewer.cluster_of[v] = number[group];
        fewer.members[place[group] + i - groups.first[group]] = v;
      }
    }
  });
  return fewer;
}

/// Returns the edges between clusters in both directions. Edges between the same two clusters are merged and counted.
weighted_rows rows_between(const csr_graph& graph, const grouping& groups, thread_team& team) {
  struct edge {
    std::uint32_t source, target, count;
  };
  const auto offsets = graph.offsets();
  const auto targets = graph.targets();
  std::vector<std::vector<edge>> edges_of_job((groups.count() + clusters_of_job - 1) / clusters_of_job);
  team.run_blocks(groups.count(), clusters_of_job, [&](std::size_t job, std::size_t begin, std::size_t end) {
    std::vector<edge>& edges = edges_of_job[job];
    std::vector<std::uint32_t> seen_by(groups.count(), none);
    std::vector<std::size_t> positions(groups.count());
    for (auto group = static_cast<std::uint32_t>(begin); group < end; ++group) {
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
  });
  weighted_rows rows;
  rows.offsets.assign(std::size_t{groups.count()} + 1, 0);
  for (const std::vector<edge>& edges : edges_of_job) {
    for (const edge& arc : edges) {
      ++rows.offsets[std::size_t{arc.source} + 1];
      ++rows.offsets[std::size_t{arc.target} + 1];
    }
  }
  std::partial_sum(rows.offsets.begin(), rows.offsets.end(), rows.offsets.begin());
  rows.targets.resize(rows.offsets.back());
  rows.edge_weights.resize(rows.offsets.back());
  std::vector<std::size_t> next(rows.offsets.begin(), rows.offsets.end() - 1);
  const auto add = [&](std::uint32_t source, std::uint32_t target, std::uint32_t count) {
    rows.targets[next[source]] = target;
    rows.edge_weights[next[source]++] = count;
  };
  for (const std::vector<edge>& edges : edges_of_job) {
    for (const edge& arc : edges) {
      add(arc.source, arc.target, arc.count);
      add(arc.target, arc.source, arc.count);
    }
  }
  return rows;
}

}  // namespace

clusters cluster(const csr_graph& graph, std::span<const std::uint32_t> loads, std::uint64_t enough,
                 thread_team& team) {
  grouping groups = without_crumbs(graph, grow_clusters(graph, loads, enough, team), enough, team);
  clusters result{.cluster_of = {}, .between = rows_between(graph, groups, team)};
  result.between.vertex_weights = std::move(groups.loads);
  result.cluster_of = std::move(groups.cluster_of);
  return result;
}

}  // namespace mlmq::graph
