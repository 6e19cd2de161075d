// SPDX-License-Identifier: Apache-2.0
#include "graph/reduction.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace mlmq::graph {
namespace {

constexpr vertex_id no_vertex = std::numeric_limits<vertex_id>::max();

struct elimination {
  vertex_id vertex;
  std::array<vertex_id, 2> neighbours;  ///< at that moment; no_vertex: there is none
};

/// Eliminates vertices in rounds. Between rounds, the vertices that are left get new numbers.
class eliminator {
 public:
  eliminator(undirected_rows rows, reduction_extent extent)
      : extent_(extent), rows_(std::move(rows)), vertices_(rows_.offsets.size() - 1) {
    std::iota(vertices_.begin(), vertices_.end(), vertex_id{0});
    eliminations_.reserve(vertices_.size());
  }

  /// Returns the eliminations in order.
  [[nodiscard]] std::vector<elimination> run() {
    for (bool goes_on = true; goes_on;) {
      const std::size_t before = vertices_.size();
      start_round();
      const bool has_leaves = eliminate_leaves();
      if (extent_ == reduction_extent::chains) eliminate_chains();
      goes_on = has_leaves || !new_edges_.empty() || has_loops_;
      keep_rest();
      const std::size_t eliminated = before - vertices_.size();
      // Graphs exist in which each round finds only a few vertices.
      if (before > small_graph && eliminated < before / least_share) break;
    }
    return std::move(eliminations_);
  }
  /// Returns the rows of the vertices that run() has left, in ascending order.
  [[nodiscard]] undirected_rows take_rows() { return std::move(rows_); }

 private:
  static constexpr std::size_t small_graph = 1024;
  static constexpr std::size_t least_share = 32;
  /// Short dead ends then have one arc per vertex. The rest of a longer one is a chain, whose eliminations are not as
  /// deep as it is long.
  static constexpr unsigned most_times = 4;

  void start_round() {
    throw_if_stopped();
    const std::size_t n = vertices_.size();
    is_eliminated_.assign(n, 0);
    degrees_.resize(n);
    for (std::size_t v = 0; v < n; ++v) {
      degrees_[v] = static_cast<std::uint32_t>(rows_.offsets[v + 1] - rows_.offsets[v]);
    }
    new_edges_.clear();
    has_loops_ = false;
  }

  void eliminate(vertex_id v, vertex_id first, vertex_id second) {
    const auto original = [this](vertex_id u) { return u == no_vertex ? no_vertex : vertices_[u]; };
    is_eliminated_[v] = 1;
    eliminations_.push_back({.vertex = vertices_[v], .neighbours = {original(first), original(second)}});
  }

  /// Returns a neighbour that is not eliminated and is not `other`.
  [[nodiscard]] vertex_id remaining_neighbour(vertex_id v, vertex_id other) const {
    for (const vertex_id u : rows_.row(v)) {
      if (is_eliminated_[u] == 0 && u != other) return u;
    }
    return no_vertex;
  }

  /// Eliminates leaves, then the leaves that this makes, and so on; next to chains only a few times.
  /// @return whether leaves are left
  bool eliminate_leaves() {
    std::vector<vertex_id> leaves;
    for (vertex_id v = 0; v < vertices_.size(); ++v) {
      if (degrees_[v] <= 1) leaves.push_back(v);
    }
    std::vector<vertex_id> next;
    for (unsigned times = 0; !leaves.empty(); ++times) {
      if (extent_ == reduction_extent::chains && times == most_times) return true;
      next.clear();
      for (const vertex_id v : leaves) {
        if (is_eliminated_[v] != 0) continue;
        const vertex_id neighbour = degrees_[v] == 0 ? no_vertex : remaining_neighbour(v, no_vertex);
        eliminate(v, neighbour, no_vertex);
        if (neighbour != no_vertex && --degrees_[neighbour] <= 1) next.push_back(neighbour);
      }
      leaves.swap(next);
    }
    return false;
  }

  [[nodiscard]] bool is_inner(vertex_id v) const { return is_eliminated_[v] == 0 && degrees_[v] == 2; }

  void eliminate_chains() {
    for (vertex_id end = 0; end < vertices_.size(); ++end) {
      if (is_eliminated_[end] != 0 || degrees_[end] == 2) continue;
      for (const vertex_id v : rows_.row(end)) {
        if (is_inner(v)) eliminate_chain(end, v);
      }
    }
    // All other chains have been eliminated, so such vertices are in cycles.
    for (vertex_id v = 0; v < vertices_.size(); ++v) {
      if (!is_inner(v)) continue;
      degrees_[v] = 0;  // the end of the chain
      eliminate_chain(v, remaining_neighbour(v, no_vertex));
      eliminate(v, no_vertex, no_vertex);
    }
  }

  /// Eliminates the chain that begins at `first`, a neighbour of `end`.
  void eliminate_chain(vertex_id end, vertex_id first) {
    chain_.clear();
    chain_.push_back(end);
    vertex_id v = first;
    while (is_inner(v)) {
      chain_.push_back(v);
      v = remaining_neighbour(v, chain_[chain_.size() - 2]);
    }
    chain_.push_back(v);
    // Every second vertex, then every second one of the others, and so on: then the depth of the eliminations is the
    // logarithm of the length.
    const std::size_t last = chain_.size() - 1;
    for (std::size_t step = 1; step < last; step *= 2) {
      for (std::size_t i = step; i < last; i += 2 * step) {
        const vertex_id before = chain_[i - step];
        const vertex_id after = chain_[std::min(i + step, last)];
        eliminate(chain_[i], before, before == after ? no_vertex : after);
      }
    }
    if (end == v) {
      has_loops_ = true;
    } else {
      new_edges_.emplace_back(std::min(end, v), std::max(end, v));
    }
  }

  /// Makes rows of the vertices that are left.
  void keep_rest() {
    if (std::ranges::count(is_eliminated_, 0) == std::ssize(is_eliminated_)) return;
    std::vector<vertex_id> new_number(vertices_.size(), no_vertex);
    std::vector<vertex_id> kept_vertices;
    for (vertex_id v = 0; v < vertices_.size(); ++v) {
      if (is_eliminated_[v] != 0) continue;
      new_number[v] = static_cast<vertex_id>(kept_vertices.size());
      kept_vertices.push_back(v);
    }
    std::vector<std::uint32_t> added(kept_vertices.size() + 1, 0);
    for (const auto& [a, b] : new_edges_) {
      ++added[new_number[a]];
      ++added[new_number[b]];
    }
    undirected_rows rest;
    rest.offsets.assign(kept_vertices.size() + 1, 0);
    // Room for all neighbours first; then the rows move together without their duplicates.
    std::vector<std::size_t> begins(kept_vertices.size() + 1, 0);
    for (std::size_t i = 0; i < kept_vertices.size(); ++i) {
      begins[i + 1] = begins[i] + rows_.row(kept_vertices[i]).size() + added[i];
    }
    rest.targets.resize(begins.back());
    std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
    for (std::size_t i = 0; i < kept_vertices.size(); ++i) {
      for (const vertex_id u : rows_.row(kept_vertices[i])) {
        if (is_eliminated_[u] == 0) rest.targets[next[i]++] = new_number[u];
      }
    }
    for (const auto& [a, b] : new_edges_) {
      rest.targets[next[new_number[a]]++] = new_number[b];
      rest.targets[next[new_number[b]]++] = new_number[a];
    }
    std::size_t end = 0;
    for (std::size_t i = 0; i < kept_vertices.size(); ++i) {
      const auto row = std::span(rest.targets).subspan(begins[i], next[i] - begins[i]);
      auto size = row.size();
      if (added[i] != 0) {
        std::ranges::sort(row);
        size -= std::ranges::unique(row).size();
      }
      std::copy_n(row.begin(), size, rest.targets.begin() + static_cast<std::ptrdiff_t>(end));
      end += size;
      rest.offsets[i + 1] = end;
    }
    rest.targets.resize(end);
    std::vector<vertex_id> vertices(kept_vertices.size());
    for (std::size_t i = 0; i < kept_vertices.size(); ++i) vertices[i] = vertices_[kept_vertices[i]];
    rows_ = std::move(rest);
    vertices_ = std::move(vertices);
  }

  reduction_extent extent_;
  undirected_rows rows_;             ///< of the vertices that are left, which have numbers of their own
  std::vector<vertex_id> vertices_;  ///< the vertices of the graph, by these numbers
  std::vector<std::uint8_t> is_eliminated_;
  std::vector<std::uint32_t> degrees_;
  std::vector<std::pair<vertex_id, vertex_id>> new_edges_;  ///< of this round
  bool has_loops_ = false;                                  ///< whether this round has eliminated a loop at a vertex
  std::vector<vertex_id> chain_;
  std::vector<elimination> eliminations_;
};

}  // namespace

std::string_view name_of(reduction_extent extent) noexcept {
  return extent == reduction_extent::leaves ? "leaves" : "chains";
}

reduction reduction::make(const csr_graph& graph, reduction_extent extent, thread_team& team) {
  const std::size_t n = graph.vertex_count();
  if (n >= core_flag) throw input_error("a graph with 2^31 vertices or more cannot be reduced");
  eliminator elimination_rounds(to_undirected(graph, team), extent);
  const std::vector<elimination> eliminations = elimination_rounds.run();
  reduction reduced;
  reduced.core_rows_ = elimination_rounds.take_rows();
  // Until the fragments are known, positions are those in the list of eliminations.
  std::vector<std::uint32_t>& place = reduced.place_;
  place.assign(n, core_flag);
  for (std::uint32_t i = 0; i < eliminations.size(); ++i) place[eliminations[i].vertex] = i;
  for (vertex_id v = 0; v < n; ++v) {
    if (place[v] != core_flag) continue;
    place[v] = core_flag | static_cast<std::uint32_t>(reduced.core_.size());
    reduced.core_.push_back(v);
  }

  // An eliminated neighbour belongs to the same fragment. The last vertex of a fragment has the ends as neighbours.
  std::vector<std::uint32_t> fragments(eliminations.size());
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = eliminations.size(); i-- > 0;) {
    std::uint32_t next = no_neighbour;
    for (const vertex_id u : eliminations[i].neighbours) {
      if (u != no_vertex) next = std::min(next, place[u]);
    }
    if (next < core_flag) {
      ++sizes[fragments[i] = fragments[next]];
      continue;
    }
    fragments[i] = static_cast<std::uint32_t>(sizes.size());
    sizes.push_back(1);
    std::array<vertex_id, 2> ends{no_end, no_end};
    for (std::size_t j = 0; j < 2; ++j) {
      const vertex_id u = eliminations[i].neighbours[j];
      if (u != no_vertex) ends[j] = place[u] & ~core_flag;
    }
    if (ends[1] < ends[0]) std::swap(ends[0], ends[1]);
    reduced.fragments_.push_back({.first = 0, .ends = ends});
  }
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    reduced.fragments_[i].first = first;
    first += std::exchange(sizes[i], first);
  }
  reduced.fragments_.push_back({.first = first, .ends = {no_end, no_end}});
  std::vector<std::uint32_t> positions(eliminations.size());
  for (std::size_t i = 0; i < eliminations.size(); ++i) positions[i] = sizes[fragments[i]]++;
  reduced.eliminated_.resize(eliminations.size());
  reduced.neighbours_.resize(eliminations.size());
  reduced.fragment_of_.resize(eliminations.size());
  for (std::size_t i = 0; i < eliminations.size(); ++i) {
    const std::uint32_t position = positions[i];
    reduced.eliminated_[position] = eliminations[i].vertex;
    reduced.fragment_of_[position] = fragments[i];
    neighbours& row = reduced.neighbours_[position];
    for (std::size_t j = 0; j < 2; ++j) {
      const vertex_id u = eliminations[i].neighbours[j];
      row[j] = u == no_vertex ? no_neighbour : is_in_core(place[u]) ? place[u] : positions[place[u]];
    }
    if (row[1] < row[0]) std::swap(row[0], row[1]);
  }
  for (std::uint32_t position = 0; position < reduced.eliminated_.size(); ++position) {
    place[reduced.eliminated_[position]] = position;
  }
  return reduced;
}

}  // namespace mlmq::graph
