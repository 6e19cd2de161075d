// SPDX-License-Identifier: Apache-2.0
// From unordered edges to compressed sparse rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/stop.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// Edges in any order, three parallel arrays of one length.
struct edge_list {
  std::vector<vertex_id> sources;
  std::vector<vertex_id> targets;
  std::vector<std::uint32_t> weight_bits;       ///< bit patterns of `type`, when it has 4 bytes
  std::vector<std::uint64_t> wide_weight_bits;  ///< of float64
  weight_type type = weight_type::uint32;

  [[nodiscard]] std::size_t size() const noexcept { return sources.size(); }
  /// Appends an edge.
  ///
  /// @param bits  of a weight of 4 bytes
  /// @throws stopped_error  checked once per 65,536 edges
  void add(vertex_id source, vertex_id target, std::uint32_t bits) {
    constexpr std::size_t check_interval = std::size_t{1} << 16;
    if (sources.size() % check_interval == 0) throw_if_stopped();
    sources.push_back(source);
    targets.push_back(target);
    weight_bits.push_back(bits);
  }
};

/// Parallel edges and self-loops cost a little time but never change a shortest path, so they are
/// kept unless told otherwise: the graph then has the edges that the file has.
struct build_options {
  bool symmetric = false;         ///< add the reverse of every edge that is not a self-loop
  bool drop_self_loops = false;   ///< leave out edges from a vertex to itself
  bool merge_duplicates = false;  ///< keep the smallest weight of parallel edges; sorts the rows
  bool sort_rows = false;         ///< order every row by target, then by weight
};

/// @param bytes_per_edge in arrays of the graph, and in what it is built from, if that is yet to come
/// @throws input_error when a graph of this size cannot fit into this machine's memory
void check_memory(std::uint64_t vertex_count, std::uint64_t edge_count, double bytes_per_edge = 8);

/// The graph with `vertex_count` vertices and these edges, by counting sort in O(n + m). Without
/// sort_rows and merge_duplicates a row has its edges in list order (with `symmetric`, a mirrored
/// edge stands where its original does).
/// @throws input_error when an end is not below vertex_count, the arrays differ in length, a weight
/// is not allowed (see csr_graph), or the graph cannot fit into this machine's memory
[[nodiscard]] csr_graph build_csr(std::uint64_t vertex_count, const edge_list& edges,
                                  const build_options& options = {});

}  // namespace mlmq::graph
