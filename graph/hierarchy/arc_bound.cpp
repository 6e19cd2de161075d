// SPDX-License-Identifier: Apache-2.0
#include "graph/hierarchy/arc_bound.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_team.hpp"
#include "graph/undirected_rows.hpp"

namespace mlmq::graph {
namespace {

constexpr std::size_t most_degree = 32;
/// Vertices that get more neighbours than this are not eliminated, because each change would read all of them.
constexpr std::size_t most_neighbours = 128;
/// Maximum number of neighbours that are read, per vertex of the graph. Graphs with a bound of few arcs need up to 60.
constexpr std::size_t most_read_per_vertex = 100;
constexpr std::size_t eliminations_between_stops = 4096;

class least_degree_elimination {
 public:
  explicit least_degree_elimination(const undirected_rows& rows)
      : neighbours_(rows.offsets.size() - 1), is_closed_(neighbours_.size(), 0), last_mark_(neighbours_.size(), 0) {
    for (vertex_id v = 0; v < neighbours_.size(); ++v) {
      neighbours_[v].assign(rows.row(v).begin(), rows.row(v).end());
      add_candidate(v);
    }
  }

  /// Eliminates as many vertices as the limits permit. @return sufficient number of arcs for all vertices
  double arcs() {
    const std::size_t most_read = most_read_per_vertex * neighbours_.size();
    std::size_t arcs = 0;
    std::size_t remaining = neighbours_.size();
    for (least_ = 0; least_ <= most_degree && read_ < most_read;) {
      if (candidates_[least_].empty()) {
        ++least_;
        continue;
      }
      const vertex_id v = candidates_[least_].back();
      candidates_[least_].pop_back();
      if (is_closed_[v] != 0 || neighbours_[v].size() != least_) continue;
      if (remaining % eliminations_between_stops == 0) throw_if_stopped();
      arcs += neighbours_[v].size();
      --remaining;
      eliminate(v);
    }
    const auto rest = static_cast<double>(remaining);
    return static_cast<double>(arcs) + rest * (rest - 1) / 2;
  }

 private:
  void add_candidate(vertex_id v) {
    const std::size_t degree = neighbours_[v].size();
    if (degree > most_neighbours) {
      is_closed_[v] = 1;
      neighbours_[v] = {};
    }
    if (degree > most_degree) return;
    candidates_[degree].push_back(v);
    least_ = std::min(least_, degree);
  }

  void eliminate(vertex_id v) {
    is_closed_[v] = 1;
    for (const vertex_id neighbour : neighbours_[v]) {
      if (is_closed_[neighbour] != 0) continue;
      std::vector<vertex_id>& row = neighbours_[neighbour];
      read_ += row.size();
      ++mark_;
      last_mark_[neighbour] = mark_;
      for (const vertex_id other : row) last_mark_[other] = mark_;
      *std::ranges::find(row, v) = row.back();
      row.pop_back();
      for (const vertex_id other : neighbours_[v]) {
        if (last_mark_[other] != mark_) row.push_back(other);
      }
      add_candidate(neighbour);
    }
    neighbours_[v] = {};
  }

  std::vector<std::vector<vertex_id>> neighbours_;
  std::vector<std::uint8_t> is_closed_;  ///< eliminated, or has too many neighbours, which are then not kept
  std::array<std::vector<vertex_id>, most_degree + 1> candidates_;  ///< by degree; a vertex may have other entries
  std::size_t least_ = 0;                                           ///< candidates have at least this degree
  std::size_t read_ = 0;                                            ///< neighbours
  std::vector<std::uint32_t> last_mark_;  ///< mark_ when a vertex was last found in the row that is extended
  std::uint32_t mark_ = 0;
};

}  // namespace

double arc_bound(const csr_graph& graph) {
  if (graph.vertex_count() == 0) return 0;
  thread_team team(1);
  return least_degree_elimination(to_undirected(graph, team)).arcs() / graph.vertex_count();
}

}  // namespace mlmq::graph
