// SPDX-License-Identifier: Apache-2.0
#include "graph/border.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace mlmq::graph {
namespace {

constexpr unsigned passes = 3;
/// Number of neighbouring parts that are considered for one vertex.
constexpr std::size_t most_neighbours = 6;
constexpr std::size_t vertices_of_job = 8192;

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
    std::vector<vertex_id> border = find_border();
    std::vector<vertex_id> next;
    std::vector<unsigned> candidate_pass(part_of_.size(), 0);
    for (unsigned pass = 1; pass <= passes && !border.empty(); ++pass) {
      next.clear();
      const auto add_candidate = [&](vertex_id v) {
        if (candidate_pass[v] == pass) return;
        candidate_pass[v] = pass;
        next.push_back(v);
      };
      for (const vertex_id v : border) {
        if (!move(v)) continue;
        // The neighbours are at the border now.
        add_candidate(v);
        for (edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) add_candidate(targets_[e]);
      }
      border.swap(next);
    }
  }

 private:
  [[nodiscard]] std::vector<vertex_id> find_border() const {
    std::vector<std::vector<vertex_id>> border_of_job((part_of_.size() + vertices_of_job - 1) / vertices_of_job);
    team_.run_blocks(part_of_.size(), vertices_of_job, [&](std::size_t job, std::size_t begin, std::size_t end) {
      for (auto v = static_cast<vertex_id>(begin); v < end; ++v) {
        if (is_at_border(v)) border_of_job[job].push_back(v);
      }
    });
    std::vector<vertex_id> border;
    for (const std::vector<vertex_id>& vertices : border_of_job)
      border.insert(border.end(), vertices.begin(), vertices.end());
    return border;
  }

  [[nodiscard]] bool is_at_border(vertex_id v) const {
    for (edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
      if (part_of_[targets_[e]] != part_of_[v]) return true;
    }
    return false;
  }

  /// @return whether the vertex has changed its part
  bool move(vertex_id v) {
    const std::uint32_t own_part = part_of_[v];
    std::array<std::uint32_t, most_neighbours> parts;
    std::array<std::uint32_t, most_neighbours> edges;
    std::size_t count = 0;
    std::uint32_t own_edges = 0;
    for (edge_offset e = offsets_[v]; e < offsets_[v + 1]; ++e) {
      const std::uint32_t part = part_of_[targets_[e]];
      if (part == own_part) {
        ++own_edges;
        continue;
      }
      std::size_t i = 0;
      while (i < count && parts[i] != part) ++i;
      if (i == most_neighbours) continue;
      if (i == count) {
        parts[count] = part;
        edges[count++] = 0;
      }
      ++edges[i];
    }
    const bool is_too_full = static_cast<double>(load_of_part_[own_part]) > most_;
    std::size_t best = count;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t load = load_of_part_[parts[i]] + loads_[v];
      const bool is_lighter = load < load_of_part_[own_part];
      if (static_cast<double>(load) > most_ && !(is_too_full && is_lighter)) continue;
      const bool is_better = edges[i] > own_edges || (edges[i] == own_edges && is_lighter);
      if (!is_better && !(is_too_full && edges[i] + 1 >= own_edges)) continue;
      if (best == count || edges[i] > edges[best] ||
          (edges[i] == edges[best] && load_of_part_[parts[i]] < load_of_part_[parts[best]])) {
        best = i;
      }
    }
    if (best == count) return false;
    load_of_part_[own_part] -= loads_[v];
    load_of_part_[parts[best]] += loads_[v];
    part_of_[v] = parts[best];
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

}  // namespace

void smooth_borders(const csr_graph& graph, std::span<const std::uint32_t> loads, unsigned parts, double most,
                    std::span<std::uint32_t> part_of, thread_team& team) {
  border_smoother(graph, loads, parts, most, part_of, team).smooth();
}

}  // namespace mlmq::graph
