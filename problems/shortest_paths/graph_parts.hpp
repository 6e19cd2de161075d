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
  std::vector<u32> vertices;
  std::vector<u32> slot_vertices;
  std::vector<u64> arcs;         ///< where they are not packed
  std::vector<u32> packed_arcs;  ///< where they are
  u32 target_bits = 0;           ///< of those
  std::vector<u32> out_words;
  std::vector<u32> in_vertices;
  std::vector<u32> part_of;   ///< of each vertex of the graph
  std::vector<u32> place_of;  ///< of each vertex in its part
  /// Whether no sum of whole weights along a path without circles, and none of one more edge, reaches saturated_distance.
  bool has_exact_sums = false;

  /// Of the part with the most.
  [[nodiscard]] u32 most_slots() const;
  /// Shared memory of a block, in bytes.
  [[nodiscard]] u64 shared_bytes() const;
};

/// @param graph with weights of 4 bytes
/// @param part_of each vertex, below `parts`
/// @throws backends::launch_error where arcs are to be packed and do not fit into 4 bytes
[[nodiscard]] graph_parts parts_of(const graph::csr_graph& graph, std::vector<u32> part_of, unsigned parts,
                                   const part_shape& shape);

/// Slots of a vertex.
[[nodiscard]] inline std::size_t slots_of(std::size_t degree, unsigned slot_arcs) {
  return std::max<std::size_t>(1, (degree + slot_arcs - 1) / slot_arcs);
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
