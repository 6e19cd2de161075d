// SPDX-License-Identifier: Apache-2.0
#include "graph/partition.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_team.hpp"
#include "graph/bisection.hpp"
#include "graph/clusters.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {
namespace {

constexpr unsigned passes = 6;
/// Number of neighbouring parts that are considered for one vertex.
constexpr std::size_t most_neighbours = 6;
constexpr std::size_t vertices_of_job = 8192;

std::ptrdiff_t to_signed(std::size_t position) { return static_cast<std::ptrdiff_t>(position); }

/// Improves the borders between the parts of a graph.
class border_smoother {
 public:
  border_smoother(const csr_graph& graph, std::span<const std::uint32_t> loads, unsigned parts, double most,
                  std::span<std::uint32_t> part_of, thread_team& team)
      : offsets_(graph.offsets()),
        targets_(graph.targets()),
        loads_(loads),
        most_(most),
        part_of_(part_of),
        team_(team),
        load_of_part_(parts, 0) {
    for (std::size_t v = 0; v < loads.size(); ++v) load_of_part_[part_of[v]] += loads[v];
  }

  void smooth() {
    // Whether a vertex or one of its neighbours has moved in the last pass.
    std::vector<std::uint8_t> is_near_move(part_of_.size(), 1);
    for (unsigned pass = 1; pass <= passes; ++pass) {
      const std::vector<vertex_id> candidates = find_movable(is_near_move);
      if (candidates.empty()) return;
      for (const vertex_id v : candidates) {
        if (!move(v)) continue;
        is_near_move[v] = 1;
        for (edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) is_near_move[targets_[e]] = 1;
      }
    }
  }

 private:
  /// Returns the marked vertices that may change their part before their neighbours do, in ascending order, and removes
  /// all marks.
  [[nodiscard]] std::vector<vertex_id> find_movable(std::span<std::uint8_t> marks) const {
    std::vector<std::vector<vertex_id>> movable_of_job((part_of_.size() + vertices_of_job - 1) / vertices_of_job);
    team_.run_blocks(part_of_.size(), vertices_of_job, [&](std::size_t job, std::size_t begin, std::size_t end) {
      for (auto v = static_cast<vertex_id>(begin); v < end; ++v) {
        if (std::exchange(marks[v], std::uint8_t{0}) != 0 && may_move(v)) movable_of_job[job].push_back(v);
      }
    });
    std::vector<vertex_id> movable;
    for (const std::vector<vertex_id>& vertices : movable_of_job) {
      movable.insert(movable.end(), vertices.begin(), vertices.end());
    }
    return movable;
  }

  /// The parts next to a vertex, and the numbers of its edges to them.
  struct near_parts {
    std::array<std::uint32_t, most_neighbours> parts;
    std::array<std::uint32_t, most_neighbours> edges;
    std::size_t count = 0;
    std::uint32_t own_edges = 0;
  };

  [[nodiscard]] near_parts parts_near(vertex_id v) const {
    near_parts near;
    for (edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
      const std::uint32_t part = part_of_[targets_[e]];
      if (part == part_of_[v]) {
        ++near.own_edges;
        continue;
      }
      std::size_t i = 0;
      while (i < near.count && near.parts[i] != part) ++i;
      if (i == most_neighbours) continue;
      if (i == near.count) {
        near.parts[i] = part;
        near.edges[i] = 0;
        ++near.count;
      }
      ++near.edges[i];
    }
    return near;
  }

  [[nodiscard]] bool is_too_full(std::uint32_t part) const { return static_cast<double>(load_of_part_[part]) > most_; }

  /// Returns whether the vertex might change its part if all other parts had room.
  [[nodiscard]] bool may_move(vertex_id v) const {
    const near_parts near = parts_near(v);
    if (near.count == 0) return false;
    const std::uint32_t most_edges = *std::max_element(near.edges.begin(), near.edges.begin() + to_signed(near.count));
    return most_edges + (is_too_full(part_of_[v]) ? 1 : 0) >= near.own_edges;
  }

  /// Returns the part that a vertex should change to, or its own part.
  [[nodiscard]] std::uint32_t better_part(vertex_id v) const {
    const std::uint32_t own_part = part_of_[v];
    const auto [parts, edges, count, own_edges] = parts_near(v);
    const bool gives_away = is_too_full(own_part);
    std::size_t best = count;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t load = load_of_part_[parts[i]] + loads_[v];
      const bool is_lighter = load < load_of_part_[own_part];
      if (static_cast<double>(load) > most_ && !(gives_away && is_lighter)) continue;
      const bool is_better = edges[i] > own_edges || (edges[i] == own_edges && is_lighter);
      if (!is_better && !(gives_away && edges[i] + 1 >= own_edges)) continue;
      if (best == count || edges[i] > edges[best] ||
          (edges[i] == edges[best] && load_of_part_[parts[i]] < load_of_part_[parts[best]])) {
        best = i;
      }
    }
    return best == count ? own_part : parts[best];
  }

  /// @return whether the vertex has changed its part
  bool move(vertex_id v) {
    const std::uint32_t part = better_part(v);
    if (part == part_of_[v]) return false;
    load_of_part_[part_of_[v]] -= loads_[v];
    load_of_part_[part] += loads_[v];
    part_of_[v] = part;
    return true;
  }

  std::span<const edge_offset> offsets_;
  std::span<const vertex_id> targets_;
  std::span<const std::uint32_t> loads_;
  double most_;
  std::span<std::uint32_t> part_of_;
  thread_team& team_;
  std::vector<std::uint64_t> load_of_part_;
};

/// Moves vertices at a border to the part that most of their edges lead to, if that part has room. Parts whose load
/// exceeds `most` give vertices away.
/// @param loads    load of each vertex
/// @param most     maximum load of a part, kept where possible
/// @param part_of  part of each vertex, less than `parts`; updated, to the same parts for any number of threads
void smooth_borders(const csr_graph& graph, std::span<const std::uint32_t> loads, unsigned parts, double most,
                    std::span<std::uint32_t> part_of, thread_team& team) {
  border_smoother(graph, loads, parts, most, part_of, team).smooth();
}

/// Number of clusters per part. Fewer clusters give worse borders, more take longer.
constexpr std::uint64_t clusters_per_part = 40;
/// The same for graphs with hubs, of which as many edges are between parts with few clusters as with many.
constexpr std::uint64_t clusters_per_part_with_hubs = 5;
/// Fewer clusters in all cannot be divided evenly.
constexpr std::uint64_t least_clusters = 160;
constexpr double most_above_mean = 1.02;

}  // namespace

bool has_hub(const csr_graph& graph) {
  constexpr double least_ratio = 8;
  const std::span<const edge_offset> offsets = graph.offsets();
  const double average = static_cast<double>(graph.edge_count()) / std::max(1U, graph.vertex_count());
  return std::adjacent_find(offsets.begin(), offsets.end(), [&](edge_offset begin, edge_offset end) {
           return static_cast<double>(end - begin) > least_ratio * average;
         }) != offsets.end();
}

std::vector<std::uint32_t> partition(const csr_graph& graph, std::span<const std::uint32_t> loads, unsigned parts,
                                     thread_team& team) {
  const std::size_t n = graph.vertex_count();
  std::vector<std::uint32_t> part_of(n, 0);
  if (parts <= 1 || n == 0) return part_of;
  const std::uint64_t total = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  const std::uint64_t count = has_hub(graph)
                                  ? std::clamp(least_clusters / parts, clusters_per_part_with_hubs, clusters_per_part)
                                  : clusters_per_part;
  const clusters coarse = cluster(graph, loads, std::max<std::uint64_t>(1, total / parts / count), team);
  const std::vector<std::uint32_t> part_of_cluster = bisect(coarse.between, parts, team);
  team.run_blocks(n, vertices_of_job, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) part_of[v] = part_of_cluster[coarse.cluster_of[v]];
  });
  smooth_borders(graph, loads, parts, most_above_mean * static_cast<double>(total) / parts, part_of, team);
  return part_of;
}

}  // namespace mlmq::graph
