// SPDX-License-Identifier: Apache-2.0
// Made-up graphs, the same on every machine: no result hangs on the last bit of a library function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Like a road network: a grid of 2^ceil(k/2) x 2^floor(k/2) points moved by up to 0.35 of the
/// spacing each way, 28 % of the streets removed, what is not connected to the largest part
/// removed. Both directions; vertices row by row, so a little under 2^k. Weight: 1000 per grid
/// spacing of length, times a detour or speed factor between 1/3 and 3 (the ratio of two uniform
/// numbers), within 100 … 5000.
/// @param log2_vertices k, 2 to 30
/// @param lengths the weight is the length alone, on the same streets
/// @throws input_error when a parameter is out of range, as every function here
[[nodiscard]] csr_graph generate_road(unsigned log2_vertices, std::uint64_t seed = 1, bool lengths = false);

/// Delaunay triangulation of uniform points of a square, numbered along a Z-order curve. Both
/// directions. Weight: length, at least 1, 1000 for the side of a square with one point in it on
/// average.
/// @param vertex_count 1 to 2^28
[[nodiscard]] csr_graph generate_delaunay(vertex_id vertex_count, std::uint64_t seed = 1);

/// The quadrants of a recursive matrix; d is what a, b and c leave of 1.
struct rmat_shape {
  double a = 0.57;          ///< both ends in the lower half of the numbers
  double b = 0.19;          ///< the target in the upper half
  double c = 0.19;          ///< the source in the upper half
  bool undirected = false;  ///< add the reverse of every edge
};

/// Recursive matrix graph (Chakrabarti, Zhan, Faloutsos 2004): 2^k vertices and edge_factor * 2^k edges (twice as many
/// if undirected), self-loops and parallel edges kept, weights uniform in 1 … 100. Shares are cut to multiples of
/// 2^-16.
/// @param log2_vertices k, 1 to 30
/// @param edge_factor at least 1
[[nodiscard]] csr_graph generate_rmat(unsigned log2_vertices, unsigned edge_factor = 8, std::uint64_t seed = 1,
                                      const rmat_shape& shape = {});

struct lattice_shape {
  unsigned dimensions = 2;  ///< 2 or 3
  bool diagonals = false;   ///< neighbours along several axes at once, too: 8 or 26 instead of 4 or 6
  bool torus = false;       ///< opposite sides are joined
  unsigned unknowns = 1;    ///< vertices of each point, 1 to 8, as of finite elements
};

/// 2^k points, row by row, in a rectangle or box whose sides are as equal as powers of two allow. Each is `unknowns`
/// vertices, numbered one after the other and joined with each other and with all those of the neighbouring points.
/// Both directions. Weights uniform in 1 … 100.
/// @param log2_points k, 1 to 30
/// @param lengths the weight is the length instead: 1000, along two axes 1414, along three 1732; 1 within a point
[[nodiscard]] csr_graph generate_lattice(unsigned log2_points, const lattice_shape& shape = {}, std::uint64_t seed = 1,
                                         bool lengths = false);

/// Small world (Watts, Strogatz 1998): a ring whose vertices are joined with the nearest `neighbours`; of each edge the
/// far end is moved to any other vertex with probability `rewired`. Pairs that come twice are one edge. Both
/// directions, weights uniform in 1 … 100.
/// @param vertex_count more than neighbours
/// @param neighbours even, at least 2
/// @param rewired 0 to 1
/// @param lengths the weight is the way along the ring instead
[[nodiscard]] csr_graph generate_small_world(vertex_id vertex_count, unsigned neighbours = 8, double rewired = 0.05,
                                             std::uint64_t seed = 1, bool lengths = false);

struct circuit_shape {
  double rent = 0.65;  ///< Rent exponent, between 0 and 1: the wires that leave a block of g gates grow with g^rent
  double fanout = 2;   ///< gates that the average gate drives, 1 to 16; geometric, at most 64
  unsigned hubs = 3;   ///< clock, reset, …: nets to 1/16, 1/64, 1/256, … of all gates, at most 16 of them
};

/// Like a placed netlist: gates along a Z-order curve, most wires short and few long, by Rent's rule; some nets go to a
/// large share of all gates. Only the largest component is kept, so a little under 2^k vertices. Pairs that occur twice
/// are one edge. Both directions, weights uniform in 1 … 100.
/// @param log2_vertices k, 2 to 30
/// @param lengths the weight is the wire's length along the axes instead, 1 to the next gate
[[nodiscard]] csr_graph generate_circuit(unsigned log2_vertices, const circuit_shape& shape = {},
                                         std::uint64_t seed = 1, bool lengths = false);

struct logic_shape {
  unsigned fanin = 2;     ///< gates that each gate reads, all different, 1 to 8; the first gates have fewer before them
  vertex_id window = 64;  ///< how far back near inputs reach, in gates, at least fanin
  double far = 0.05;      ///< share of inputs that come from anywhere before the gate, 0 to 1
  bool undirected = false;  ///< add the reverse of every edge
};

/// Like a combinational logic network: a directed acyclic graph of 2^k gates, an edge from each gate to those that read
/// it, all of which have higher numbers. An input comes from d or more gates back with probability 1 / d, within the
/// window, or is far: from any earlier gate, in one of four times from one of 15 signals, evenly spread, that many
/// read. All gates are reached from 0: over several times 2^k / window edges without far inputs, over few times k with
/// the default share of them. Weights uniform in 1 … 100.
/// @param log2_vertices k, 1 to 30
[[nodiscard]] csr_graph generate_logic(unsigned log2_vertices, const logic_shape& shape = {}, std::uint64_t seed = 1);

struct community_shape {
  /// On average, 2 to 1000, less than the vertices. Up to a third off below 2^12 vertices; much less where it asks for
  /// very many small groups (1000 in groups of 3), because few of those are different.
  double degree = 12;
  unsigned largest = 64;  ///< members of the largest group, 3 to 4096
  double mixing = 0.1;    ///< share of memberships that are drawn from everywhere instead of near by, 0 to 1
};

/// Like collaboration and friendship networks: overlapping groups of s = 2 … `largest` members, their number falling
/// with s^-3, all of whose members know each other, most of them near in numbering. Vertices are in two or more groups
/// on average, in x or more with a probability that falls with x^-2. Where that gives more than the degree asked for,
/// those of larger groups know only some of the others. Only the largest component is kept, so a little under 2^k
/// vertices. Both directions, weights uniform in 1 … 100.
/// @param log2_vertices k, 2 to 30
[[nodiscard]] csr_graph generate_community(unsigned log2_vertices, const community_shape& shape = {},
                                           std::uint64_t seed = 1);

struct web_shape {
  double degree = 8;    ///< links of a page on average, before what comes twice is removed: 1 to 1000, less than pages
  double copied = 0.6;  ///< share of links that are copied from another page, 0 to 1
  double remote = 0.1;  ///< share of the other links that lead to any page instead of one of the site, 0 to 1
  bool undirected = false;  ///< add the reverse of every link
};

/// Like pages of the web and their links, by copying (Kumar et al. 2000): pages come in rounds, each between two older
/// ones; some links are those of an older page near in numbering, at the same positions, the others lead to pages of
/// the same site (the next smaller numbers that are a multiple of 256, and 255 more) or anywhere. A page is linked from
/// d or more with a probability that falls with the power -ln 2 / ln(1 + copied) of d, and has d or more links itself
/// with one that falls with d^-2, up to 32 times the average. No page links to a share exp(-(1 - copied) degree) of
/// them, or a little more. Directed, weights uniform in 1 … 100. Links that come twice are one.
/// @param log2_vertices k, 1 to 30
[[nodiscard]] csr_graph generate_web(unsigned log2_vertices, const web_shape& shape = {}, std::uint64_t seed = 1);

/// Configuration model: the number of vertices with at least d neighbours falls with the power
/// 1 - exponent of d; ends are paired at random, pairs of one vertex and repeated pairs removed.
/// Both directions, weights uniform in 1 … 100, vertices in random order.
/// @param vertex_count at least 2
/// @param average_degree before removal, more than 0, at most vertex_count - 1
/// @param exponent more than 2, at most 10
[[nodiscard]] csr_graph generate_power_law(vertex_id vertex_count, double average_degree = 16, double exponent = 2.2,
                                           std::uint64_t seed = 1);

/// Vertices 0 — 1 — … — n-1, both directions. n at least 1, as for all shapes.
[[nodiscard]] csr_graph generate_path(vertex_id vertex_count, std::uint32_t weight = 1);
/// A path with its ends joined (from 3 vertices on), both directions.
[[nodiscard]] csr_graph generate_cycle(vertex_id vertex_count, std::uint32_t weight = 1);
/// Vertex 0 joined with each other one, both directions.
[[nodiscard]] csr_graph generate_star(vertex_id vertex_count, std::uint32_t weight = 1);
/// Every vertex joined with every other one.
[[nodiscard]] csr_graph generate_complete(vertex_id vertex_count, std::uint32_t weight = 1);
/// width x height vertices row by row, joined with their 2 to 4 neighbours, both directions.
[[nodiscard]] csr_graph generate_grid2d(vertex_id width, vertex_id height, std::uint32_t weight = 1);

/// The same graph with its vertices in random order, so that neighbours lie far apart in memory.
[[nodiscard]] csr_graph with_shuffled_vertices(const csr_graph& graph, std::uint64_t seed = 1);

struct generated_graph {
  csr_graph graph;
  vertex_id source = 0;     ///< to start from: 0, or the vertex with most out-edges if power-law (not for logic)
  std::string name;         ///< the specification as given
  std::string graph_class;  ///< "road", "mesh" or "power_law", see classify.hpp
};

/// A graph by name. KIND and a number, then options after colons, as in "power14:degree=8:exponent=2.5:seed=7":
///
///   kinds                                 number           options
///   road                                  log2 of vertices
///   del                                   log2 of vertices
///   lattice                               log2 of points   dims, diagonals, torus, unknowns
///   small (small world)                   log2 of vertices neighbours, rewired
///   circuit                               log2 of vertices rent, fanout, hubs
///   logic                                 log2 of vertices fanin, window, far, undirected
///   community                             log2 of vertices degree, largest, mixing
///   web                                   log2 of vertices degree, copied, remote, undirected
///   rmat                                  log2 of vertices edge_factor, a, b, c, undirected
///   power (power law)                     log2 of vertices degree, exponent
///   path, cycle, star, complete           vertices
///   grid                                  side of a square
///
/// and for all kinds: seed (of no effect on shapes); weights, one of "own" (what the kind's function says; 1 for
/// shapes), "length" (road, del, lattice, small, circuit: of the edge) and the distributions of weight_rule.hpp, drawn
/// with weight_seed (else seed); shuffle, 1 for random order of the vertices. Switches are 0 or 1.
/// @throws input_error for a name, option or number that is not known, listing those that are
[[nodiscard]] generated_graph generate_named(std::string_view specification);

/// How large a graph will be, without generating it.
struct generated_size {
  std::string graph_class;  ///< as of the graph; "mesh" where its features decide (shapes, logic, community)
  std::uint64_t vertices;   ///< at most
  std::uint64_t edges;      ///< about
};
/// @throws input_error as generate_named(), but for some numbers out of range
[[nodiscard]] generated_size expected_size(std::string_view specification);

/// The graph that a specification is a variant of: without weights, weight_seed and shuffle, which change neither who
/// is whose neighbour nor how many.
/// @throws input_error as expected_size()
[[nodiscard]] std::string family_of_generated(std::string_view specification);

/// Whether a name begins with what names a kind of made-up graph ("road"); the rest of it may be wrong.
[[nodiscard]] bool is_generator_name(std::string_view name);

/// Returns whether a name from a user means a file rather than a generated graph: it has a '/',
/// or a '.' before any option.
[[nodiscard]] bool looks_like_file(std::string_view name);

}  // namespace mlmq::graph
