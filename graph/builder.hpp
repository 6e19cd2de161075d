// SPDX-License-Identifier: Apache-2.0
// Builds compressed sparse rows from unordered edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/stop.hpp"
#include "base/uninitialized_vector.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// Edges in any order, as parallel arrays of equal length.
struct edge_list {
  uninitialized_vector<vertex_id> sources;
  uninitialized_vector<vertex_id> targets;
  uninitialized_vector<std::uint32_t> weight_bits;       ///< bit patterns of the weights if `type` has 4 bytes
  uninitialized_vector<std::uint64_t> wide_weight_bits;  ///< bit patterns of the weights if `type` is float64
  weight_type type = weight_type::uint32;

  [[nodiscard]] std::size_t size() const noexcept { return sources.size(); }
  /// Appends an edge.
  ///
  /// @param bits  bit pattern of a 4-byte weight
  /// @throws stopped_error  checked once per 65,536 edges
  void add(vertex_id source, vertex_id target, std::uint32_t bits) {
    constexpr std::size_t check_interval = std::size_t{1} << 16;
    if (sources.size() % check_interval == 0) throw_if_stopped();
    sources.push_back(source);
    targets.push_back(target);
    weight_bits.push_back(bits);
  }
};

/// Options of build_csr(). Parallel edges and self-loops cost a little time but never change a shortest path. They are
/// kept by default, so that the graph has exactly the edges of the file.
struct build_options {
  bool symmetric = false;         ///< add the reverse of every edge that is not a self-loop
  bool drop_self_loops = false;   ///< leave out edges from a vertex to itself
  bool merge_duplicates = false;  ///< keep the smallest weight of parallel edges; sorts the rows
  bool sort_rows = false;         ///< order every row by target, then by weight
};

/// Checks that a graph of this size fits into the memory of this machine.
/// @param bytes_per_edge  bytes of the graph's arrays, and of its input if that has not been allocated yet
/// @throws input_error if the graph does not fit
void check_memory(std::uint64_t vertex_count, std::uint64_t edge_count, double bytes_per_edge = 8);

/// Builds the graph with `vertex_count` vertices and these edges by counting sort in O(n + m), by all cores. Without
/// sort_rows and merge_duplicates, each row keeps the order of the list; with `symmetric`, a mirrored edge has the
/// position of its original.
/// @throws input_error if an end of an edge is not less than vertex_count, the arrays differ in length, a weight is
///   invalid (see csr_graph), or the graph does not fit into the memory of this machine
[[nodiscard]] csr_graph build_csr(std::uint64_t vertex_count, const edge_list& edges,
                                  const build_options& options = {});

}  // namespace mlmq::graph
