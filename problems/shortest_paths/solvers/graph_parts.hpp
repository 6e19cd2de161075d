// SPDX-License-Identifier: Apache-2.0
// A graph in parts, one per block of the partitioned search (kernels/partitioned/).
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "base/thread_team.hpp"
#include "base/uninitialized_vector.hpp"
#include "graph/csr.hpp"
#include "partitioned/partitioned_abi.cuh"
#include "problems/shortest_paths/solvers/part_shape.hpp"

namespace mlmq::problems {

/// The arrays of partitioned_arguments, and the place of each vertex.
struct graph_parts {
  part_shape shape;
  std::vector<graph_part> parts;
  /// The vertex of each place of each part; no_vertex if the place continues a row, has a copy of a hub or is empty.
  uninitialized_vector<u32> vertices;
  uninitialized_vector<u32> slot_vertices;  ///< not in groups
  uninitialized_vector<u64> arcs;           ///< if the layout does not pack them
  uninitialized_vector<u32> packed_arcs;    ///< if the layout packs them
  u32 target_bits = 0;                      ///< bits of the target in a packed arc
  std::vector<u32> out_words;
  std::vector<u32> in_vertices;
  std::vector<u32> part_of;            ///< part of each vertex of the graph
  uninitialized_vector<u32> place_of;  ///< place of each vertex in its part
  /// Upper bound for the sum of integer weights along a simple path plus one edge; 2^64 − 1 if unknown.
  u64 largest_sum = 0;

  /// Returns whether no sum saturates in the words of the kernel.
  [[nodiscard]] bool has_exact_sums() const {
    return largest_sum < (shape.has_groups() ? saturated_mark / 2 : graph::saturated_distance);
  }
  /// Returns the slots of the part with the most slots.
  [[nodiscard]] u32 most_slots() const;
  /// Returns the shared memory per block, in bytes.
  [[nodiscard]] u64 shared_bytes() const;
};

/// Computes graph_parts::largest_sum, in a pass over all edges.
[[nodiscard]] u64 largest_sum_of(const graph::csr_graph& graph, thread_team& team);

/// Builds the parts of a graph.
/// @param graph must have weights of 4 bytes
/// @param part_of part of each vertex, less than `parts`
/// @throws backends::launch_error if the layout packs arcs and one does not fit into 4 bytes
[[nodiscard]] graph_parts parts_of(const graph::csr_graph& graph, std::vector<u32> part_of, unsigned parts,
                                   const part_shape& shape, thread_team& team);

/// Returns the slots that a vertex needs.
[[nodiscard]] inline std::size_t slots_of(std::size_t degree, const part_shape& shape) {
  if (degree <= shape.slot_arcs) return 1;
  // In groups, each slot but the first one takes an arc that leads to it.
  if (shape.has_groups()) return 1 + (degree - 2) / (shape.slot_arcs - 1);
  return (degree + shape.slot_arcs - 1) / shape.slot_arcs;
}

/// Rounds places, or outbox words, up to whole groups.
[[nodiscard]] constexpr std::size_t whole_groups(std::size_t places) {
  return (places + group_places - 1) / group_places * group_places;
}

/// Returns the default number of parts: one per multiprocessor, fewer for a small graph.
[[nodiscard]] unsigned default_part_count(const graph::csr_graph& graph, const backends::device_info& device);

/// Caches the parts of one graph, because partitioning takes longer than many searches.
class part_store {
 public:
  /// @param graph must outlive the object
  explicit part_store(const graph::csr_graph& graph) : graph_(graph) {}

  /// @throws backends::launch_error if the number of arcs needs more than 32 bits
  [[nodiscard]] std::shared_ptr<const graph_parts> get(unsigned parts, const part_shape& shape);

 private:
  const graph::csr_graph& graph_;
  std::map<std::pair<unsigned, part_shape>, std::shared_ptr<const graph_parts>> cache_;
};

}  // namespace mlmq::problems
