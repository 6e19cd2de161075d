// SPDX-License-Identifier: Apache-2.0
// The rows of a graph in place (kernels/edges.cuh): so many words for each vertex that a short row needs no bounds.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "simt/types.cuh"

namespace mlmq::problems {

/// `slots` words for each vertex: its edges, then `no_edge`. A row that is longer has `slots` - 1 edges there, and a
/// number of a further such row after those of the vertices in the last word, the shortest edges first; one of more than
/// 4 * `slots` edges has the word `long_row` alone.
/// @param slots 2 … 32
/// @throws backends::launch_error when there would be 2^31 rows or more
[[nodiscard]] std::vector<u64> weighted_rows_in_place(const graph::csr_graph& graph, unsigned slots);
/// Without the weights.
[[nodiscard]] std::vector<u32> unit_rows_in_place(const graph::csr_graph& graph, unsigned slots);

/// The same in device memory. They depend on the graph and the number of slots alone: those made once are kept, as long
/// as there is room for others. Making them takes a processor a while, longer than many a search.
class placed_rows {
 public:
  /// @param device, graph must outlive these
  placed_rows(backends::backend& device, const graph::csr_graph& graph, bool unit_weights)
      : device_(device), graph_(graph), unit_weights_(unit_weights) {}

  /// Makes address() that of the rows with so many slots. @param slots 0: none
  /// @throws backends::out_of_device_memory, backends::launch_error; a later call may ask for other slots
  void place(unsigned slots);

  /// Does `work`, which allocates device memory; where that is short, once more after the rows with other numbers of slots
  /// have gone: whether a search fits must not depend on what was measured before.
  /// @throws what `work` throws
  template <class Work>
  void with_room(const Work& work) {
    try {
      return work();
    } catch (const backends::out_of_device_memory&) {
      if (!drop_others()) throw;
    }
    work();
  }

  /// Null without.
  [[nodiscard]] const void* address() const { return address_; }
  /// Of vertices and further ones; without, the vertices.
  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  struct placement {
    backends::device_memory words;
    std::size_t rows;
  };
  [[nodiscard]] placement make(unsigned slots) const;
  /// @return whether there were any
  bool drop_others();

  backends::backend& device_;
  const graph::csr_graph& graph_;
  bool unit_weights_;
  const void* address_ = nullptr;
  std::size_t rows_ = 0;
  std::map<unsigned, placement> by_slots_;
};

}  // namespace mlmq::problems
