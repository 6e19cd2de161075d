// SPDX-License-Identifier: Apache-2.0
#include "graph/reduction.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace mlmq::graph {
namespace {

constexpr vertex_id no_vertex = std::numeric_limits<vertex_id>::max();

/// Eliminated vertices, in order.
struct eliminations {
  explicit eliminations(std::size_t neighbours_of_each) : width(neighbours_of_each) {}

  void push_back(vertex_id vertex, std::span<const vertex_id> of_vertex) {
    vertices.push_back(vertex);
    neighbours.insert(neighbours.end(), of_vertex.begin(), of_vertex.end());
    neighbours.resize(vertices.size() * width, no_vertex);
  }
  [[nodiscard]] std::span<const vertex_id> neighbours_of(std::size_t index) const {
    return std::span(neighbours).subspan(index * width, width);
  }

  std::size_t width;
  std::vector<vertex_id> vertices = {};
  std::vector<vertex_id> neighbours = {};  ///< `width` for each vertex, at that moment; no_vertex: there is none
  undirected_rows rest = {};               ///< of the vertices that are left, in ascending order
};

/// Eliminates leaves and chains in rounds. Between rounds, the vertices that are left get new numbers.
class chain_eliminator {
 public:
  chain_eliminator(undirected_rows rows, eliminated_vertices kind)
      : has_chains_(kind == eliminated_vertices::chains),
        rows_(std::move(rows)),
        vertices_(rows_.offsets.size() - 1),
        eliminations_(2) {
    std::iota(vertices_.begin(), vertices_.end(), vertex_id{0});
    eliminations_.vertices.reserve(vertices_.size());
    eliminations_.neighbours.reserve(2 * vertices_.size());
  }

  [[nodiscard]] eliminations run() {
    for (bool goes_on = true; goes_on;) {
      const std::size_t before = vertices_.size();
      start_round();
      const bool has_leaves = eliminate_leaves();
      if (has_chains_) eliminate_chains();
      goes_on = has_leaves || !new_edges_.empty() || has_loops_;
      keep_rest();
      const std::size_t eliminated = before - vertices_.size();
      // Graphs exist in which each round finds only a few vertices.
      if (before > small_graph && eliminated < before / least_share) break;
    }
    eliminations_.rest = std::move(rows_);
    return std::move(eliminations_);
  }

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
    eliminations_.push_back(vertices_[v], std::array{original(first), original(second)});
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
      if (has_chains_ && times == most_times) return true;
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

  bool has_chains_;
  undirected_rows rows_;             ///< of the vertices that are left, which have numbers of their own
  std::vector<vertex_id> vertices_;  ///< the vertices of the graph, by these numbers
  std::vector<std::uint8_t> is_eliminated_;
  std::vector<std::uint32_t> degrees_;
  std::vector<std::pair<vertex_id, vertex_id>> new_edges_;  ///< of this round
  bool has_loops_ = false;                                  ///< whether this round has eliminated a loop at a vertex
  std::vector<vertex_id> chain_;
  eliminations eliminations_;
};

/// Eliminates vertices of low degree, in rounds. In a round no two neighbours are eliminated, so that fragments grow
/// evenly.
class low_degree_eliminator {
 public:
  explicit low_degree_eliminator(undirected_rows rows)
      : targets_(std::move(rows.targets)),
        vertices_(rows.offsets.size() - 1),
        round_of_(vertices_.size(), 0),

        eliminations_(largest_degree) {
    for (vertex_id v = 0; v < vertices_.size(); ++v) {
      const auto size = static_cast<std::uint32_t>(rows.offsets[v + 1] - rows.offsets[v]);
      vertices_[v] = {.begin = rows.offsets[v], .size = size, .room = size};
    }
  }

  [[nodiscard]] eliminations run() {
    for (std::uint32_t degree = 0; degree <= largest_degree; ++degree) eliminate_up_to(degree);
    keep_rest();
    return std::move(eliminations_);
  }

 private:
  static constexpr std::uint32_t largest_degree = reduction::low_degree;
  /// A search from an eliminated vertex begins with a sequential search of its fragment. Most fragments are far smaller
  /// than their bounds.
  static constexpr std::uint32_t largest_fragment = 2048;

  struct remaining_row {
    std::size_t begin;
    std::uint32_t size;
    std::uint32_t room;
    std::uint32_t fragment_bound = 0;  ///< no less than the vertices of the fragments that it is an end of
    bool is_eliminated = false;
  };

  [[nodiscard]] std::span<const vertex_id> row(vertex_id v) const {
    return std::span(targets_).subspan(vertices_[v].begin, vertices_[v].size);
  }

  void eliminate_up_to(std::uint32_t degree) {
    std::vector<vertex_id> candidates;
    std::vector<vertex_id> next;
    for (vertex_id v = 0; v < vertices_.size(); ++v) {
      if (!vertices_[v].is_eliminated && vertices_[v].size <= degree) candidates.push_back(v);
    }
    while (!candidates.empty()) {
      throw_if_stopped();
      ++round_;
      next.clear();
      for (const vertex_id v : candidates) {
        if (vertices_[v].is_eliminated || vertices_[v].size > degree) continue;
        if (round_of_[v] == round_) {
          next.push_back(v);  // a neighbour was eliminated in this round
        } else if (vertices_[v].fragment_bound < largest_fragment && new_edges(v) <= vertices_[v].size) {
          eliminate(v);
          for (const vertex_id neighbour : row(v)) {
            round_of_[neighbour] = round_;
            std::uint32_t& bound = vertices_[neighbour].fragment_bound;
            bound = std::min(bound + vertices_[v].fragment_bound + 1, largest_fragment);
            if (vertices_[neighbour].size <= degree) next.push_back(neighbour);
          }
        }
      }
      candidates.swap(next);
    }
  }

  [[nodiscard]] bool are_neighbours(vertex_id a, vertex_id b) const {
    if (vertices_[b].size < vertices_[a].size) std::swap(a, b);
    return std::ranges::find(row(a), b) != row(a).end();
  }

  /// Returns the number of edges that the elimination of a vertex adds.
  [[nodiscard]] std::uint32_t new_edges(vertex_id v) const {
    std::uint32_t count = 0;
    const std::span<const vertex_id> neighbours = row(v);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      for (std::size_t j = i + 1; j < neighbours.size(); ++j)
        count += are_neighbours(neighbours[i], neighbours[j]) ? 0 : 1;
    }
    return count;
  }

  void eliminate(vertex_id v) {
    vertices_[v].is_eliminated = true;
    eliminations_.push_back(v, row(v));
    for (std::uint32_t i = 0; i < vertices_[v].size; ++i) connect(row(v)[i], v);
  }

  /// Replaces v among the neighbours of a vertex by the other neighbours of v.
  void connect(vertex_id vertex, vertex_id v) {
    remaining_row& changed = vertices_[vertex];
    const std::uint32_t most = changed.size + vertices_[v].size;
    if (most > changed.room) {
      const std::size_t begin = targets_.size();
      changed.room = 2 * most;
      targets_.resize(begin + changed.room);
      std::copy_n(targets_.begin() + static_cast<std::ptrdiff_t>(changed.begin), changed.size,
                  targets_.begin() + static_cast<std::ptrdiff_t>(begin));
      changed.begin = begin;
    }
    const auto place = std::ranges::find(row(vertex), v) - row(vertex).begin();
    targets_[changed.begin + static_cast<std::size_t>(place)] = row(vertex).back();
    --changed.size;
    const std::uint32_t before = changed.size;
    for (const vertex_id other : row(v)) {
      if (other == vertex || std::ranges::find(row(vertex).first(before), other) != row(vertex).begin() + before)
        continue;
      targets_[changed.begin + changed.size++] = other;
    }
  }

  void keep_rest() {
    std::vector<vertex_id> new_number(vertices_.size(), no_vertex);
    vertex_id count = 0;
    for (vertex_id v = 0; v < vertices_.size(); ++v) {
      if (!vertices_[v].is_eliminated) new_number[v] = count++;
    }
    undirected_rows& rest = eliminations_.rest;
    rest.offsets.reserve(count + std::size_t{1});
    rest.offsets.push_back(0);
    for (vertex_id v = 0; v < vertices_.size(); ++v) {
      if (vertices_[v].is_eliminated) continue;
      for (const vertex_id neighbour : row(v)) rest.targets.push_back(new_number[neighbour]);
      std::ranges::sort(std::span(rest.targets).subspan(rest.offsets.back()));
      rest.offsets.push_back(rest.targets.size());
    }
  }

  std::vector<vertex_id> targets_;  ///< rows that have grown are behind the others
  std::vector<remaining_row> vertices_;
  std::vector<std::uint32_t> round_of_;  ///< last round in which a neighbour was eliminated
  std::uint32_t round_ = 0;
  eliminations eliminations_;
};

}  // namespace

std::string_view name_of(reduction_extent extent) noexcept {
  switch (extent) {
    case reduction_extent::leaves:
      return "leaves";
    case reduction_extent::chains:
      return "chains";
    case reduction_extent::core:
      break;
  }
  return "core";
}

std::span<const eliminated_vertices> steps_of(reduction_extent extent) noexcept {
  static constexpr std::array leaves{eliminated_vertices::leaves};
  static constexpr std::array core{eliminated_vertices::chains, eliminated_vertices::low_degree};
  if (extent == reduction_extent::leaves) return leaves;
  return std::span(core).first(extent == reduction_extent::chains ? 1 : 2);
}

reduction reduction::make(const csr_graph& graph, eliminated_vertices kind, thread_team& team) {
  if (graph.vertex_count() >= core_flag) throw input_error("a graph with 2^31 vertices or more cannot be reduced");
  return make(to_undirected(graph, team), kind);
}

reduction reduction::make(undirected_rows rows, eliminated_vertices kind) {
  const std::size_t n = rows.offsets.size() - 1;
  eliminations eliminated = kind == eliminated_vertices::low_degree ? low_degree_eliminator(std::move(rows)).run()
                                                                    : chain_eliminator(std::move(rows), kind).run();
  const std::size_t count = eliminated.vertices.size();
  reduction reduced;
  reduced.width_ = eliminated.width;
  reduced.core_rows_ = std::move(eliminated.rest);
  // Until the fragments are known, positions are those in the list of eliminations.
  std::vector<std::uint32_t>& place = reduced.place_;
  place.assign(n, core_flag);
  for (std::uint32_t i = 0; i < count; ++i) place[eliminated.vertices[i]] = i;
  for (vertex_id v = 0; v < n; ++v) {
    if (place[v] != core_flag) continue;
    place[v] = core_flag | static_cast<std::uint32_t>(reduced.core_.size());
    reduced.core_.push_back(v);
  }

  // An eliminated neighbour belongs to the same fragment.
  std::vector<std::uint32_t> fragments(count);
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = count; i-- > 0;) {
    std::uint32_t next = no_neighbour;
    for (const vertex_id u : eliminated.neighbours_of(i)) {
      if (u != no_vertex) next = std::min(next, place[u]);
    }
    if (next < core_flag) {
      ++sizes[fragments[i] = fragments[next]];
    } else {
      fragments[i] = static_cast<std::uint32_t>(sizes.size());
      sizes.push_back(1);
    }
  }
  for (const std::uint32_t size : sizes) reduced.first_positions_.push_back(reduced.first_positions_.back() + size);
  std::vector<std::uint32_t> next(reduced.first_positions_.begin(), reduced.first_positions_.end() - 1);
  std::vector<std::uint32_t> positions(count);
  for (std::size_t i = 0; i < count; ++i) positions[i] = next[fragments[i]]++;
  reduced.eliminated_.resize(count);
  reduced.neighbours_.resize(count * reduced.width_, no_neighbour);
  reduced.fragment_of_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t position = positions[i];
    reduced.eliminated_[position] = eliminated.vertices[i];
    reduced.fragment_of_[position] = fragments[i];
    const auto row = std::span(reduced.neighbours_).subspan(position * reduced.width_, reduced.width_);
    std::ranges::transform(eliminated.neighbours_of(i), row.begin(), [&](vertex_id u) {
      return u == no_vertex ? no_neighbour : is_in_core(place[u]) ? place[u] : positions[place[u]];
    });
    std::ranges::sort(row);
  }
  for (std::uint32_t position = 0; position < reduced.eliminated_.size(); ++position) {
    place[reduced.eliminated_[position]] = position;
  }
  return reduced;
}

}  // namespace mlmq::graph
