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
/// @throws input_error when a parameter is out of range, as every function here
[[nodiscard]] csr_graph generate_road(unsigned log2_vertices, std::uint64_t seed = 1);

/// Delaunay triangulation of uniform points of a square, numbered along a Z-order curve. Both
/// directions. Weight: length, at least 1, 1000 for the side of a square with one point in it on
/// average.
/// @param vertex_count 1 to 2^28
[[nodiscard]] csr_graph generate_delaunay(vertex_id vertex_count, std::uint64_t seed = 1);

/// Recursive matrix graph (Chakrabarti, Zhan, Faloutsos 2004) with a, b, c, d = 0.57, 0.19, 0.19,
/// 0.05: directed, 2^k vertices and edge_factor * 2^k edges, self-loops and parallel edges kept,
/// weights uniform in 1 … 100.
/// @param log2_vertices k, 1 to 30
/// @param edge_factor at least 1
[[nodiscard]] csr_graph generate_rmat(unsigned log2_vertices, unsigned edge_factor = 8, std::uint64_t seed = 1);

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

struct generated_graph {
  csr_graph graph;
  vertex_id source = 0;     ///< to start from: 0, or the vertex with most out-edges if power-law
  std::string name;         ///< the specification as given
  std::string graph_class;  ///< "road", "mesh" or "power_law", see classify.hpp
};

/// A graph by name: road18, del16, rmat20, power14 have about 2^18, 2^16, … vertices; path9,
/// cycle9, star9, complete9 have 9; grid9 has 9 x 9. Options follow with colons: seed for all (of
/// no effect on shapes); edge_factor for rmat; degree and exponent for power. Example:
/// "power14:degree=8:exponent=2.5:seed=7".
/// @throws input_error for a name, option or number that is not known, listing those that are
[[nodiscard]] generated_graph generate_named(std::string_view specification);

/// Whether a name that a person gave means a file rather than something to generate: it has a '/',
/// or a '.' before any option.
[[nodiscard]] bool looks_like_file(std::string_view name);

}  // namespace mlmq::graph
