// SPDX-License-Identifier: Apache-2.0
#include "graph/hierarchy/dissection.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/stop.hpp"
#include "graph/hierarchy/separator.hpp"
#include "graph/reduction.hpp"
#include "graph/undirected_rows.hpp"

namespace mlmq::graph {
namespace {

/// Pieces of at most this many vertices are ordered by minimum degree.
constexpr std::uint32_t small_piece = 10;
/// Number of separators that are tried for a subgraph, and number of vertices from which more than one is tried.
constexpr unsigned most_attempts = 3;
constexpr std::uint32_t large_piece = 200;

constexpr std::uint32_t outside_piece = ~std::uint32_t{0};

/// A part of the graph that is ordered on its own, at `first` and the following positions of the order.
struct subgraph {
  weighted_rows graph;
  std::vector<vertex_id> vertices;
  std::size_t first;
  std::uint64_t seed;
};

/// Returns the vertices of a subgraph that are on one side, with the edges between them.
subgraph side_of(const subgraph& whole, const std::vector<split_place>& places, split_place side) {
  subgraph part;
  std::vector<std::uint32_t> new_number(whole.vertices.size(), outside_piece);
  for (std::uint32_t v = 0; v < whole.vertices.size(); ++v) {
    if (places[v] != side) continue;
    new_number[v] = static_cast<std::uint32_t>(part.vertices.size());
    part.vertices.push_back(whole.vertices[v]);
    part.graph.vertex_weights.push_back(whole.graph.vertex_weights[v]);
  }
  part.graph.offsets.reserve(part.vertices.size() + 1);
  part.graph.offsets.push_back(0);
  for (std::uint32_t v = 0; v < whole.vertices.size(); ++v) {
    if (places[v] != side) continue;
    for (std::size_t e = whole.graph.offsets[v]; e < whole.graph.offsets[v + 1]; ++e) {
      const std::uint32_t target = new_number[whole.graph.targets[e]];
      if (target == outside_piece) continue;
      part.graph.targets.push_back(target);
      part.graph.edge_weights.push_back(whole.graph.edge_weights[e]);
    }
    part.graph.offsets.push_back(part.graph.targets.size());
  }
  return part;
}

/// Orders a subgraph of at most 64 vertices: next is always a vertex of least degree in the graph that remains.
void order_by_degree(const subgraph& small, std::span<vertex_id> order) {
  const auto count = static_cast<unsigned>(small.vertices.size());
  std::vector<std::uint64_t> neighbours(count, 0);
  for (unsigned v = 0; v < count; ++v) {
    for (std::size_t e = small.graph.offsets[v]; e < small.graph.offsets[v + 1]; ++e)
      neighbours[v] |= std::uint64_t{1} << small.graph.targets[e];
  }
  std::vector<bool> is_done(count, false);
  for (unsigned i = 0; i < count; ++i) {
    unsigned best = count;
    for (unsigned v = 0; v < count; ++v) {
      if (!is_done[v] && (best == count || std::popcount(neighbours[v]) < std::popcount(neighbours[best]))) best = v;
    }
    is_done[best] = true;
    order[i] = small.vertices[best];
    for (std::uint64_t rest = neighbours[best]; rest != 0; rest &= rest - 1) {
      const auto v = static_cast<unsigned>(std::countr_zero(rest));
      neighbours[v] |= neighbours[best];
      neighbours[v] &= ~(std::uint64_t{1} << v | std::uint64_t{1} << best);
    }
  }
}

/// Separators that are tried for one subgraph.
struct separator_attempts {
  std::vector<std::vector<split_place>> places;

  [[nodiscard]] const std::vector<split_place>& best_for(const weighted_rows& graph) const {
    return *std::ranges::min_element(
        places, {}, [&](const std::vector<split_place>& candidate) { return separator_weight(graph, candidate); });
  }
};

/// Finds separators of all subgraphs that are not small, all attempts in parallel.
std::vector<separator_attempts> try_separators(const std::vector<subgraph>& pieces, thread_team& team) {
  std::vector<separator_attempts> attempts(pieces.size());
  std::vector<std::pair<std::size_t, unsigned>> jobs;  // piece and attempt
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::size_t count = pieces[i].vertices.size();
    if (count <= small_piece) continue;
    attempts[i].places.resize(count >= large_piece ? most_attempts : 1);
    for (unsigned attempt = 0; attempt < attempts[i].places.size(); ++attempt) jobs.emplace_back(i, attempt);
  }
  team.run(jobs.size(), [&, stop = stop_token_of_thread()](std::size_t job) {
    const stop_scope scope(stop);
    const auto [i, attempt] = jobs[job];
    attempts[i].places[attempt] = find_separator(pieces[i].graph, pieces[i].seed + attempt);
  });
  return attempts;
}

/// Returns the graph that remains after eliminations.
/// @param vertices  of the graph, by their numbers in the reduction
subgraph remaining_piece(const reduction& reduced, const std::vector<vertex_id>& vertices, std::size_t first) {
  subgraph rest{.graph = {}, .vertices = {}, .first = first, .seed = 1};
  for (const vertex_id v : reduced.core()) rest.vertices.push_back(vertices[v]);
  const undirected_rows& rows = reduced.core_rows();
  rest.graph.offsets = rows.offsets;
  rest.graph.targets = rows.targets;
  rest.graph.vertex_weights.assign(rest.vertices.size(), 1);
  rest.graph.edge_weights.assign(rest.graph.targets.size(), 1);
  return rest;
}

}  // namespace

std::vector<vertex_id> dissection_order(const csr_graph& graph, thread_team& team) {
  std::vector<vertex_id> order;
  std::vector<subgraph> pieces;
  {
    // Few arcs result from these vertices, and less is left to be split.
    const reduction chains = reduction::make(graph, eliminated_vertices::chains, team);
    const reduction low_degrees = reduction::make(chains.core_rows(), eliminated_vertices::low_degree);
    order = chains.eliminated();
    for (const vertex_id v : low_degrees.eliminated()) order.push_back(chains.core()[v]);
    pieces.push_back(remaining_piece(low_degrees, chains.core(), order.size()));
  }
  order.resize(graph.vertex_count());
  while (!pieces.empty()) {
    std::vector<subgraph> sides(2 * pieces.size());
    const std::vector<separator_attempts> attempts = try_separators(pieces, team);
    team.run(pieces.size(), [&](std::size_t i) {
      subgraph whole = std::move(pieces[i]);
      const std::size_t count = whole.vertices.size();
      if (count <= small_piece) {
        order_by_degree(whole, std::span(order).subspan(whole.first, count));
        return;
      }
      const std::vector<split_place>& places = attempts[i].best_for(whole.graph);
      subgraph& first = sides[2 * i];
      subgraph& second = sides[2 * i + 1];
      first = side_of(whole, places, split_place::first_side);
      second = side_of(whole, places, split_place::second_side);
      first.first = whole.first;
      second.first = first.first + first.vertices.size();
      first.seed = 2 * whole.seed;
      second.seed = 2 * whole.seed + 1;
      std::size_t next = second.first + second.vertices.size();
      for (std::size_t v = 0; v < count; ++v) {
        if (places[v] == split_place::separator) order[next++] = whole.vertices[v];
      }
    });
    std::erase_if(sides, [](const subgraph& side) { return side.vertices.empty(); });
    pieces = std::move(sides);
  }
  return order;
}

}  // namespace mlmq::graph
