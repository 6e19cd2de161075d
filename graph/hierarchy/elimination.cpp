// SPDX-License-Identifier: Apache-2.0
#include "graph/hierarchy/elimination.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "graph/place_order.hpp"
#include "graph/undirected_rows.hpp"

namespace mlmq::graph {
namespace {

constexpr std::uint32_t stop_check_interval = 1U << 12;
constexpr std::uint32_t no_rank = ~std::uint32_t{0};

/// The elimination tree and the upper neighbours, with vertices numbered by their rank in the elimination order.
struct ranked_elimination {
  std::vector<std::uint32_t> parent;  ///< `no_rank` for a root
  std::vector<std::size_t> first_arc;
  std::vector<std::uint32_t> heads;
};

/// The upper neighbours of a vertex are its own neighbours of higher rank and those of its children.
ranked_elimination eliminate_by_rank(const undirected_rows& rows, std::span<const vertex_id> order,
                                     std::span<const vertex_id> rank_of, std::size_t most_arcs) {
  const auto n = static_cast<std::uint32_t>(order.size());
  ranked_elimination result;
  result.parent.assign(n, no_rank);
  result.first_arc.assign(n + std::size_t{1}, 0);
  std::vector<std::uint32_t> first_child(n, no_rank);
  std::vector<std::uint32_t> next_sibling(n, no_rank);
  std::vector<std::uint32_t> seen_for(n, no_rank);  // last rank for which a head was added
  for (std::uint32_t v = 0; v < n; ++v) {
    if (v % stop_check_interval == 0) throw_if_stopped();
    const std::size_t begin = result.heads.size();
    seen_for[v] = v;
    const auto add = [&](std::uint32_t head) {
      if (seen_for[head] == v) return;
      seen_for[head] = v;
      result.heads.push_back(head);
    };
    for (const vertex_id neighbour : rows.row(order[v])) {
      if (rank_of[neighbour] > v) add(rank_of[neighbour]);
    }
    for (std::uint32_t child = first_child[v]; child != no_rank; child = next_sibling[child]) {
      for (std::size_t arc = result.first_arc[child]; arc < result.first_arc[child + std::size_t{1}]; ++arc)
        add(result.heads[arc]);
    }
    if (result.heads.size() > most_arcs) {
      throw input_error(fmt::format("an elimination hierarchy of this graph has more than {} arcs", most_arcs));
    }
    result.first_arc[v + std::size_t{1}] = result.heads.size();
    const auto parent = std::min_element(result.heads.begin() + static_cast<std::ptrdiff_t>(begin), result.heads.end());
    if (parent == result.heads.end()) continue;
    result.parent[v] = *parent;
    next_sibling[v] = first_child[*parent];
    first_child[*parent] = v;
  }
  return result;
}

}  // namespace

std::size_t elimination::arc_between(std::uint32_t descendant, std::uint32_t ancestor) const {
  const std::span<const std::uint32_t> row = upper_neighbours(descendant);
  return first_arc[descendant] + static_cast<std::size_t>(std::ranges::lower_bound(row, ancestor) - row.begin());
}

std::uint32_t elimination::height() const {
  const auto deepest = std::ranges::max_element(depth);
  return deepest == depth.end() ? 0 : *deepest + 1;
}

elimination eliminate(const csr_graph& graph, std::span<const vertex_id> order, std::size_t most_arcs,
                      thread_team& team) {
  const auto n = static_cast<std::uint32_t>(graph.vertex_count());
  const std::vector<vertex_id> rank_of = ranks_of(order);
  const ranked_elimination ranked = eliminate_by_rank(to_undirected(graph, team), order, rank_of, most_arcs);

  // Parents have higher ranks. Sizes are summed up from the leaves; then each vertex places its children's subtrees.
  std::vector<std::uint32_t> size(n, 1);
  for (std::uint32_t v = 0; v < n; ++v) {
    if (ranked.parent[v] != no_rank) size[ranked.parent[v]] += size[v];
  }
  std::vector<std::uint32_t> position(n);
  std::vector<std::uint32_t> free(n);  // position of the next child's subtree
  std::uint32_t free_of_roots = 0;
  for (std::uint32_t v = n; v-- > 0;) {
    std::uint32_t& next = ranked.parent[v] == no_rank ? free_of_roots : free[ranked.parent[v]];
    position[v] = next;
    next += size[v];
    free[v] = position[v] + 1;
  }

  elimination result;
  result.vertex_at.resize(n);
  result.position_of.resize(n);
  result.parent.resize(n);
  result.depth.resize(n);
  result.size.resize(n);
  std::vector<std::uint32_t> rank_at(n);
  for (std::uint32_t v = 0; v < n; ++v) {
    rank_at[position[v]] = v;
    result.vertex_at[position[v]] = order[v];
    result.position_of[order[v]] = position[v];
  }
  result.first_arc.assign(n + std::size_t{1}, 0);
  for (std::uint32_t p = 0; p < n; ++p) {
    const std::uint32_t v = rank_at[p];
    const bool is_root = ranked.parent[v] == no_rank;
    result.parent[p] = is_root ? p : position[ranked.parent[v]];
    result.depth[p] = is_root ? 0 : result.depth[result.parent[p]] + 1;
    result.size[p] = size[v];
    result.first_arc[p + std::size_t{1}] =
        result.first_arc[p] + ranked.first_arc[v + std::size_t{1}] - ranked.first_arc[v];
  }
  result.heads.resize(ranked.heads.size());
  constexpr std::size_t positions_of_job = 4096;
  team.run_blocks(n, positions_of_job, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      const std::size_t begin = ranked.first_arc[rank_at[p]];
      const auto row =
          std::span(result.heads).subspan(result.first_arc[p], result.first_arc[p + 1] - result.first_arc[p]);
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = position[ranked.heads[begin + i]];
      std::ranges::sort(row);
    }
  });
  return result;
}

}  // namespace mlmq::graph
