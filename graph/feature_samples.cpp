// SPDX-License-Identifier: Apache-2.0
#include "graph/feature_samples.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/thread_team.hpp"
#include "graph/portable_power.hpp"

namespace mlmq::graph {
namespace {

/// Maximum number of edges that each of two breadth-first searches inspects.
constexpr std::size_t search_edges = 16384;
constexpr std::size_t reach_probes = 64;
constexpr std::size_t reach_wanted = 64;  ///< number of vertices that a probe tries to reach
constexpr std::size_t reach_edges = 256;  ///< maximum number of edges that a probe inspects
constexpr std::size_t pairs_wanted = 512;
constexpr std::size_t row_window = 256;  ///< maximum number of edges of a row that are searched for a neighbour
static_assert(2 * search_edges + (reach_probes + 64) * reach_edges + pairs_wanted * (row_window + 3) <=
              sampled_edges_limit);

std::span<const vertex_id> row_of(const csr_graph& graph, vertex_id v) {
  const edge_offset start = graph.offsets()[v];
  return graph.targets().subspan(start, graph.offsets()[v + std::size_t{1}] - start);
}

/// A set of a few thousand vertices with open addressing. An array of marks would touch one page per vertex.
class vertex_set {
 public:
  /// @param most maximum number of vertices in the set
  explicit vertex_set(std::size_t most)
      : shift_(64 - static_cast<unsigned>(std::bit_width(2 * most))),
        slots_(std::size_t{1} << (64 - shift_), unreached) {}

  /// Inserts a vertex. Returns false if it was already in the set.
  bool insert(vertex_id v) {
    std::size_t slot = (std::uint64_t{v} * 0x9E3779B97F4A7C15u) >> shift_;
    while (slots_[slot] != unreached) {
      if (slots_[slot] == v) return false;
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = v;
    return true;
  }

 private:
  unsigned shift_;
  std::vector<vertex_id> slots_;
};

/// The levels that a breadth-first search reached.
struct ball {
  std::vector<std::size_t> within;  ///< element h: number of vertices at most h hops away
  vertex_id last = 0;               ///< a vertex of the last level
  bool is_whole = false;            ///< all reachable vertices were found
};

bool reaches_many(const csr_graph& graph, vertex_id start) {
  const std::size_t target_count = std::min<std::size_t>(reach_wanted, graph.vertex_count() / 2);
  std::vector<vertex_id> order{start};
  vertex_set seen(reach_wanted + 1);
  seen.insert(start);
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const vertex_id v : row_of(graph, order[i])) {
      // Many edges between few vertices are a dense cluster, but the search can still leave it.
      if (looked_at++ == reach_edges || order.size() > target_count) return true;
      if (seen.insert(v)) order.push_back(v);
    }
  }
  return order.size() > target_count;
}

/// Returns a random vertex that has neighbours and is not a hub, or `otherwise` if no such vertex is found.
vertex_id ordinary_vertex(const csr_graph& graph, vertex_id otherwise, random_stream& random) {
  const std::uint64_t most = graph.edge_count() / graph.vertex_count() + 1;
  for (int draw = 0; draw < 64; ++draw) {
    const auto v = static_cast<vertex_id>(random.below(graph.vertex_count()));
    const std::size_t degree = row_of(graph, v).size();
    if (degree >= 1 && degree <= most && reaches_many(graph, v)) return v;
  }
  return otherwise;
}

/// Searches breadth-first over complete levels within `search_edges` edges. The first level may be incomplete.
ball search_from(const csr_graph& graph, vertex_id start) {
  ball result{.within = {1}, .last = start, .is_whole = false};
  vertex_set seen(search_edges + 1);
  seen.insert(start);
  std::vector<vertex_id> order{start};
  std::size_t looked_at = 0;
  for (std::size_t level = 0;;) {
    const std::size_t end = order.size();
    for (std::size_t i = level; i < end; ++i) {
      for (const vertex_id v : row_of(graph, order[i])) {
        if (looked_at++ == search_edges) {
          if (result.within.size() == 1) result.within.push_back(order.size());
          return result;
        }
        if (seen.insert(v)) order.push_back(v);
      }
    }
    if (order.size() == end) {
      result.is_whole = true;
      return result;
    }
    result.within.push_back(order.size());
    result.last = order.back();
    level = end;
  }
}

/// Returns log2 of a number of at least 1, to within 2^-24. Uses only products, so the result is the same on every
/// machine.
double portable_log2(double number) {
  int whole = 0;
  double part = 2 * std::frexp(number, &whole);  // 1 to 2
  double result = whole - 1;
  for (double bit = 0.5; bit > 0x1p-25; bit /= 2) {
    part *= part;
    if (part >= 2) {
      part /= 2;
      result += bit;
    }
  }
  return result;
}

/// Estimates the number of hops between the ends of a graph of `vertices` vertices from the sizes of the known levels.
/// Balls grow like a power of the radius on roads and meshes, and by a factor with every hop on graphs of small
/// diameter.
double extrapolated(const std::vector<std::size_t>& within, double vertices, double average_degree) {
  const std::size_t radius = within.size() - 1;
  const auto now = static_cast<double>(within.back());
  const auto r = static_cast<double>(radius);
  if (radius == 0 || vertices <= now) return r;
  const auto level = [&](std::size_t i) { return static_cast<double>(within[i] - (i > 0 ? within[i - 1] : 0)); };
  // The search inspected little more than the row of a nearby hub. Assume a random graph with this average degree.
  if (radius < 3) return std::max(r + 1, portable_log2(vertices) / portable_log2(std::max(2.0, average_degree)));
  const double growth = level(radius) / level(radius - 1);
  if (growth >= 2) return r + portable_log2(vertices / now) / portable_log2(growth);
  const double dimension =
      portable_log2(now / static_cast<double>(within[radius / 2])) / portable_log2(r / static_cast<double>(radius / 2));
  // The distance between the ends is one to two radii of the ball around the start vertex that contains all vertices.
  const double radii = dimension > 1 ? portable_power(vertices / now, 1 / dimension) : vertices / now;
  return std::min(vertices, std::sqrt(2.0) * r * radii);
}

struct depth {
  double hops = 0;
  double reached = 0;
};

depth depth_from(const csr_graph& graph, vertex_id widest, vertex_id ordinary, double reach_share) {
  ball first = search_from(graph, widest);
  if (!first.is_whole) {
    // The first levels around a hub say little about the rest of the graph.
    first = search_from(graph, ordinary);
    const double average_degree = static_cast<double>(graph.edge_count()) / graph.vertex_count();
    const double reached = std::max(static_cast<double>(first.within.back()), reach_share * graph.vertex_count());
    return {.hops = extrapolated(first.within, reached, average_degree), .reached = reached};
  }
  // Search back from the far end. In a tree this finds the longest path, and elsewhere nearly the longest.
  const ball second = search_from(graph, first.last);
  const std::size_t hops = std::max(first.within.size(), second.is_whole ? second.within.size() : 0) - 1;
  return {.hops = static_cast<double>(hops), .reached = static_cast<double>(first.within.back())};
}

/// Returns 1 if `v` is in the row, else 0. For a long row, returns an unbiased estimate from a part of the row.
double presence(std::span<const vertex_id> row, vertex_id v, random_stream& random) {
  if (row.size() <= row_window) return std::find(row.begin(), row.end(), v) != row.end() ? 1.0 : 0.0;
  const std::size_t start = random.below(row.size());
  for (std::size_t i = 0; i < row_window; ++i) {
    if (row[(start + i) % row.size()] == v) return static_cast<double>(row.size()) / row_window;
  }
  return 0;
}

}  // namespace

vertex_id widest_vertex(const csr_graph& graph) {
  struct candidate {
    vertex_id vertex = 0;
    edge_offset degree = 0;
  };
  constexpr std::size_t block = std::size_t{1} << 18;
  const auto offsets = graph.offsets();
  std::vector<candidate> of_blocks(graph.vertex_count() / block + 1);
  for_each_block(graph.vertex_count(), block, [&](std::size_t index, std::size_t first, std::size_t last) {
    candidate best;
    for (std::size_t v = first; v < last; ++v) {
      const edge_offset degree = offsets[v + 1] - offsets[v];
      if (degree > best.degree) best = {.vertex = static_cast<vertex_id>(v), .degree = degree};
    }
    of_blocks[index] = best;
  });
  return std::ranges::max_element(of_blocks, {}, &candidate::degree)->vertex;
}

feature_values sampled_features(const csr_graph& graph, vertex_id widest) {
  const std::uint64_t n = graph.vertex_count();
  if (graph.edge_count() == 0) return {0, 0, 0, 0, 0};
  random_stream random({0x66656174 /* feat */, n, graph.edge_count()});
  std::size_t far = 0;
  for (std::size_t i = 0; i < reach_probes; ++i) {
    if (reaches_many(graph, static_cast<vertex_id>(random.below(n)))) ++far;
  }
  const double reach_share = static_cast<double>(far) / reach_probes;

  std::size_t pairs = 0;
  double joined = 0;
  std::size_t edges = 0;
  double span = 0;
  // If few vertices have two neighbours, there may be fewer pairs than wanted.
  for (std::size_t draw = 0; draw < 8 * pairs_wanted && pairs < pairs_wanted; ++draw) {
    const auto u = static_cast<vertex_id>(random.below(n));
    const auto row = row_of(graph, u);
    if (row.empty()) continue;
    const std::size_t place = random.below(row.size());
    const vertex_id a = row[place];
    if (edges < pairs_wanted) {
      ++edges;
      span += static_cast<double>(a > u ? a - u : u - a);
    }
    if (row.size() < 2) continue;
    const vertex_id b = row[(place + 1 + random.below(row.size() - 1)) % row.size()];
    if (a == b || a == u || b == u) continue;  // parallel edges and self-loops
    ++pairs;
    joined += presence(row_of(graph, a), b, random);
  }
  const depth longest = depth_from(graph, widest, ordinary_vertex(graph, widest, random), reach_share);
  return {longest.hops, longest.hops > 0 ? longest.reached / longest.hops : 0.0, reach_share,
          pairs > 0 ? std::min(1.0, joined / static_cast<double>(pairs)) : 0.0,
          edges > 0 ? span / static_cast<double>(edges) / static_cast<double>(n) : 0.0};
}

}  // namespace mlmq::graph
