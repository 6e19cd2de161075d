// SPDX-License-Identifier: Apache-2.0
// A graph in parts, one for each block of the partitioned search (kernels/partitioned/).
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "partitioned/partitioned_abi.cuh"
#include "problems/shortest_paths/part_shape.hpp"

namespace mlmq::problems {

/// A graph with longer rows ends as constraint: splitting large power laws takes seconds, and cuts most of their edges.
inline constexpr graph::edge_offset longest_row_of_parts = 4096;

/// The arrays of partitioned_arguments, and where each vertex is.
struct graph_parts {
  part_shape shape;
  std::vector<graph_part> parts;
  /// Of each place of each part; no_vertex: the place continues a row, or is empty.
  std::vector<u32> vertices;
  std::vector<u32> slot_vertices;
  std::vector<u64> arcs;         ///< where they are not packed
  std::vector<u32> packed_arcs;  ///< where they are
  u32 target_bits = 0;           ///< of those
  std::vector<u32> out_words;
  std::vector<u32> in_vertices;
  std::vector<u32> part_of;   ///< of each vertex of the graph
  std::vector<u32> place_of;  ///< of each vertex in its part
  /// No sum of whole weights along a path without circles, and none of one more edge, is larger. 2^64 − 1: not known.
  u64 largest_sum = 0;

  /// Whether no sum saturates in the words of the kernel.
  [[nodiscard]] bool has_exact_sums() const {
    return largest_sum < (shape.has_groups() ? saturated_mark / 2 : graph::saturated_distance);
  }
  /// Of the part with the most.
  [[nodiscard]] u32 most_slots() const;
  /// Shared memory of a block, in bytes.
  [[nodiscard]] u64 shared_bytes() const;
};

/// graph_parts::largest_sum. Looks at every edge.
[[nodiscard]] u64 largest_sum_of(const graph::csr_graph& graph);

/// @param graph with weights of 4 bytes
/// @param part_of each vertex, below `parts`
/// @throws backends::launch_error where arcs are to be packed and do not fit into 4 bytes
[[nodiscard]] graph_parts parts_of(const graph::csr_graph& graph, std::vector<u32> part_of, unsigned parts,
                                   const part_shape& shape);

/// Slots of a vertex.
[[nodiscard]] inline std::size_t slots_of(std::size_t degree, const part_shape& shape) {
  if (degree <= shape.slot_arcs) return 1;
  // In groups each slot but the first costs an arc that leads to it.
  if (shape.has_groups()) return 1 + (degree - 2) / (shape.slot_arcs - 1);
  return (degree + shape.slot_arcs - 1) / shape.slot_arcs;
}

/// Places, or outbox words, rounded up to groups.
[[nodiscard]] constexpr std::size_t whole_groups(std::size_t places) {
  return (places + group_places - 1) / group_places * group_places;
}

/// How many parts a graph is split into where nobody says: one for each multiprocessor, fewer for a small graph.
[[nodiscard]] unsigned usual_parts(const graph::csr_graph& graph, const backends::device_info& device);

/// The parts of one graph. Finding them takes longer than many searches: they are kept.
class part_store {
 public:
  /// @param graph outlives this
  explicit part_store(const graph::csr_graph& graph) : graph_(graph) {}

  /// @throws backends::launch_error when the arcs cannot be counted with 32 bits, or a row is too long
  [[nodiscard]] std::shared_ptr<const graph_parts> get(unsigned parts, const part_shape& shape);

 private:
  const graph::csr_graph& graph_;
  std::map<std::pair<unsigned, part_shape>, std::shared_ptr<const graph_parts>> known_;
};

}  // namespace mlmq::problems
