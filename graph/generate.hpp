// SPDX-License-Identifier: Apache-2.0
// Generated graphs. They are the same on every machine, because no result depends on the rounding of a library
// function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Generates a graph like a road network: a grid of 2^ceil(k/2) x 2^floor(k/2) points, each moved by up to 0.35 of the
/// spacing along each axis. 28 % of the streets are removed, and then all parts except the largest connected one. Both
/// directions. Vertices are numbered row by row, a little fewer than 2^k. The weight is the length (1000 per grid
/// spacing) times a detour or speed factor between 1/3 and 3 (the ratio of two uniform numbers), limited to 100 … 5000.
/// @param log2_vertices k, 2 to 30
/// @param lengths true: the weight is the length alone, on the same streets
/// @throws input_error if a parameter is out of range, like every function here
[[nodiscard]] csr_graph generate_road(unsigned log2_vertices, std::uint64_t seed = 1, bool lengths = false);

/// Generates the Delaunay triangulation of uniformly distributed points in a square, numbered along a Z-order curve.
/// Both directions. The weight is the length, at least 1; the side of a square that contains one point on average has
/// length 1000.
/// @param vertex_count 1 to 2^28
[[nodiscard]] csr_graph generate_delaunay(vertex_id vertex_count, std::uint64_t seed = 1);

/// Probabilities of the quadrants of a recursive matrix. The fourth, d, is 1 - a - b - c.
struct rmat_shape {
  double a = 0.57;          ///< source and target in the lower half of the numbers
  double b = 0.19;          ///< only the target in the upper half
  double c = 0.19;          ///< only the source in the upper half
  bool undirected = false;  ///< add the reverse of every edge
};

/// Generates a recursive matrix graph (Chakrabarti, Zhan, Faloutsos 2004) with 2^k vertices and edge_factor * 2^k edges
/// (twice as many if undirected). Self-loops and parallel edges are kept. Weights are uniform in 1 … 100. Probabilities
/// are truncated to multiples of 2^-16.
/// @param log2_vertices k, 1 to 30
/// @param edge_factor at least 1
[[nodiscard]] csr_graph generate_rmat(unsigned log2_vertices, unsigned edge_factor = 8, std::uint64_t seed = 1,
                                      const rmat_shape& shape = {});

struct lattice_shape {
  unsigned dimensions = 2;  ///< 2 or 3
  bool diagonals = false;   ///< include diagonal neighbours: 8 or 26 neighbours instead of 4 or 6
  bool torus = false;       ///< join opposite sides
  unsigned unknowns = 1;    ///< vertices per point, 1 to 8, as in finite elements
};

/// Generates a lattice of 2^k points, numbered row by row, in a rectangle or box whose sides are as equal as powers of
/// two allow. Each point has `unknowns` vertices with consecutive numbers, joined with each other and with all vertices
/// of the neighbouring points. Both directions. Weights are uniform in 1 … 100.
/// @param log2_points k, 1 to 30
/// @param lengths true: the weight is the length instead: 1000 along one axis, 1414 along two, 1732 along three; 1
///   within a point
[[nodiscard]] csr_graph generate_lattice(unsigned log2_points, const lattice_shape& shape = {}, std::uint64_t seed = 1,
                                         bool lengths = false);

/// Generates a small-world graph (Watts, Strogatz 1998): a ring in which each vertex is joined with its nearest
/// `neighbours`. The far end of each edge is moved to a random other vertex with probability `rewired`. Duplicate pairs
/// become one edge. Both directions; weights are uniform in 1 … 100.
/// @param vertex_count more than neighbours
/// @param neighbours even, at least 2
/// @param rewired 0 to 1
/// @param lengths true: the weight is the distance along the ring instead
[[nodiscard]] csr_graph generate_small_world(vertex_id vertex_count, unsigned neighbours = 8, double rewired = 0.05,
                                             std::uint64_t seed = 1, bool lengths = false);

struct circuit_shape {
  double rent = 0.65;  ///< Rent exponent, between 0 and 1: wires leaving a block of g gates grow like g^rent
  double fanout = 2;   ///< average number of gates that a gate drives, 1 to 16; geometrically distributed, at most 64
  unsigned hubs = 3;   ///< number of clock, reset, … nets, at most 16; they drive 1/16, 1/64, 1/256, … of all gates
};

/// Generates a graph like a placed netlist: gates along a Z-order curve, with many short and few long wires by Rent's
/// rule; some nets drive a large share of all gates. Only the largest component is kept, so there are a little fewer
/// than 2^k vertices. Duplicate pairs become one edge. Both directions; weights are uniform in 1 … 100.
/// @param log2_vertices k, 2 to 30
/// @param lengths true: the weight is the wire's length along the axes instead, 1 to an adjacent gate
[[nodiscard]] csr_graph generate_circuit(unsigned log2_vertices, const circuit_shape& shape = {},
                                         std::uint64_t seed = 1, bool lengths = false);

struct logic_shape {
  unsigned fanin = 2;       ///< number of distinct gates that each gate reads, 1 to 8; fewer for the first gates
  vertex_id window = 64;    ///< maximum distance of near inputs, in gates, at least fanin
  double far = 0.05;        ///< share of inputs that come from any earlier gate, 0 to 1
  bool undirected = false;  ///< add the reverse of every edge
};

/// Generates a graph like a combinational logic network: a directed acyclic graph of 2^k gates, with an edge from each
/// gate to the gates that read it, which all have higher numbers. An input is near or far. A near input comes from d or
/// more gates back with probability 1 / d, within the window. A far input comes from any earlier gate; with probability
/// 1/4, from one of 15 evenly spaced signals that many gates read. All gates are reachable from gate 0: over several
/// times 2^k / window edges without far inputs, over a few times k edges with the default share of far inputs. Weights
/// are uniform in 1 … 100.
/// @param log2_vertices k, 1 to 30
[[nodiscard]] csr_graph generate_logic(unsigned log2_vertices, const logic_shape& shape = {}, std::uint64_t seed = 1);

struct community_shape {
  /// Average degree, 2 to 1000, less than the number of vertices. The result deviates by up to a third below 2^12
  /// vertices. It is much lower if very many small groups are requested (degree 1000 in groups of 3), because few such
  /// groups are distinct.
  double degree = 12;
  unsigned largest = 64;  ///< number of members of the largest group, 3 to 4096
  double mixing = 0.1;    ///< share of memberships that are drawn from all vertices instead of nearby ones, 0 to 1
};

/// Generates a graph like collaboration and friendship networks: overlapping groups of s = 2 … `largest` members, whose
/// number falls with s^-3. All members of a group are joined, and most have nearby numbers. Vertices are in two or more
/// groups on average, in x or more with a probability that falls with x^-2. Where this gives more than the requested
/// degree, members of larger groups are joined with only some of the others. Only the largest component is kept, so
/// there are a little fewer than 2^k vertices. Both directions; weights are uniform in 1 … 100.
/// @param log2_vertices k, 2 to 30
[[nodiscard]] csr_graph generate_community(unsigned log2_vertices, const community_shape& shape = {},
                                           std::uint64_t seed = 1);

struct web_shape {
  double degree = 8;    ///< average links per page before duplicates are removed, 1 to 1000, fewer than pages
  double copied = 0.6;  ///< share of links that are copied from another page, 0 to 1
  double remote = 0.1;  ///< share of the other links that lead to any page instead of a page of the same site, 0 to 1
  bool undirected = false;  ///< add the reverse of every link
};

/// Generates a graph like web pages and their links, by copying (Kumar et al. 2000). Pages are added in rounds, each
/// between two older pages. Some links are those of an older page with a nearby number, at the same positions. The
/// others lead to pages of the same site (256 consecutive numbers from a multiple of 256) or to any page. A page has d
/// or more incoming links with a probability that falls with the power -ln 2 / ln(1 + copied) of d, and d or more
/// outgoing links with a probability that falls with d^-2, up to 32 times the average. A share exp(-(1 - copied)
/// degree) of the pages, or a little more, has no incoming links. Directed; weights are uniform in 1 … 100. Duplicate
/// links become one.
/// @param log2_vertices k, 1 to 30
[[nodiscard]] csr_graph generate_web(unsigned log2_vertices, const web_shape& shape = {}, std::uint64_t seed = 1);

/// Generates a graph by the configuration model: the number of vertices with at least d neighbours falls with the power
/// 1 - exponent of d. Edge ends are paired at random; self-loops and repeated pairs are removed. Both directions;
/// weights are uniform in 1 … 100; vertices are in random order.
/// @param vertex_count at least 2
/// @param average_degree average degree before removal, more than 0, at most vertex_count - 1
/// @param exponent more than 2, at most 10
[[nodiscard]] csr_graph generate_power_law(vertex_id vertex_count, double average_degree = 16, double exponent = 2.2,
                                           std::uint64_t seed = 1);

/// Generates a path 0 — 1 — … — n-1 in both directions. For all shapes, n is at least 1.
[[nodiscard]] csr_graph generate_path(vertex_id vertex_count, std::uint32_t weight = 1);
/// Generates a path whose ends are joined (from 3 vertices on), in both directions.
[[nodiscard]] csr_graph generate_cycle(vertex_id vertex_count, std::uint32_t weight = 1);
/// Generates a star: vertex 0 is joined with every other vertex, in both directions.
[[nodiscard]] csr_graph generate_star(vertex_id vertex_count, std::uint32_t weight = 1);
/// Generates a graph in which every vertex is joined with every other one.
[[nodiscard]] csr_graph generate_complete(vertex_id vertex_count, std::uint32_t weight = 1);
/// Generates a grid of width x height vertices, numbered row by row, each joined with its 2 to 4 neighbours in both
/// directions.
[[nodiscard]] csr_graph generate_grid2d(vertex_id width, vertex_id height, std::uint32_t weight = 1);

/// Returns the same graph with its vertices in random order, so that neighbours are far apart in memory.
[[nodiscard]] csr_graph with_shuffled_vertices(const csr_graph& graph, std::uint64_t seed = 1);

struct generated_graph {
  csr_graph graph;
  vertex_id source = 0;  ///< default source: 0, or for power-law graphs (except logic) the vertex with most out-edges
  std::string name;      ///< the specification as given
  std::string graph_class;  ///< "road", "mesh" or "power_law", see classify.hpp
};

/// Generates a graph from its specification: KIND and a number, then options after colons, as in
/// "power14:degree=8:exponent=2.5:seed=7":
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
/// All kinds accept these options: seed (without effect on shapes); weights, one of "own" (the weights of the kind's
/// function; 1 for shapes), "length" (length of the edge, for road, del, lattice, small and circuit), or a distribution
/// of weight_rule.hpp, drawn with weight_seed (default: seed); shuffle, 1 for a random order of the vertices. Switches
/// are 0 or 1.
/// @throws input_error for an unknown kind, an unknown option or an invalid number, listing the valid ones
[[nodiscard]] generated_graph generate_named(std::string_view specification);

/// Expected size of a graph, computed without generating it.
struct generated_size {
  std::string graph_class;  ///< "mesh" where the features of the graph determine the class (shapes, logic, community)
  std::uint64_t vertices;   ///< upper bound
  std::uint64_t edges;      ///< approximate
};
/// Returns the expected size. @throws input_error like generate_named(), except for some numbers that are out of range
[[nodiscard]] generated_size expected_size(std::string_view specification);

/// Returns the specification without weights, weight_seed and shuffle, which do not change the structure of the graph.
/// Graphs with the same result are variants of one graph.
/// @throws input_error like expected_size()
[[nodiscard]] std::string family_of_generated(std::string_view specification);

/// Returns whether a name begins with a kind of generated graph ("road"). The rest of the name may be invalid.
[[nodiscard]] bool is_generator_name(std::string_view name);

/// Returns whether a name from a user refers to a file instead of a generated graph: it contains a '/', or a '.' before
/// any option.
[[nodiscard]] bool looks_like_file(std::string_view name);

}  // namespace mlmq::graph
