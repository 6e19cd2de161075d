// SPDX-License-Identifier: Apache-2.0
// The ELL rows of a graph (kernels/edges.cuh): so many words for each vertex that a short row needs no bounds.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/shortest_paths/resident_graph.hpp"
#include "simt/types.cuh"

namespace mlmq::problems {

/// `width` words for each vertex: its edges, then `no_edge`. A row that is longer has `width` - 1 edges there, and a
/// number of an overflow row after those of the vertices in the last word, the shortest edges first; one of more than
/// 4 * `width` edges has the word `long_row` alone.
/// @param width 2 … 32
/// @throws backends::launch_error when there would be 2^31 rows or more
[[nodiscard]] std::vector<u64> weighted_ell_rows(const graph::csr_graph& graph, unsigned width);
/// Of weights of 8 bytes, without overflow rows: each row that is longer has the word `long_row`. An overflow row would need the
/// distance of its vertex, which an element does not tell.
[[nodiscard]] std::vector<graph::wide_edge> wide_ell_rows(const graph::csr_graph& graph, unsigned width);
/// Without the weights.
[[nodiscard]] std::vector<u32> unit_ell_rows(const graph::csr_graph& graph, unsigned width);

/// The same in device memory. They depend on the graph and the width alone: those made once are kept, as long
/// as there is room for others. Making them takes a processor a while, longer than many a search: those of a large graph, and
/// of one whose arrays are not in host memory, the device makes; not of weights of 8 bytes.
class resident_ell {
 public:
  /// @param device, graph, rows must outlive these @param rows of the graph, on the device
  resident_ell(backends::backend& device, const graph::csr_graph& graph, bool unit_weights, const resident_rows& rows)
      : device_(device), graph_(graph), unit_weights_(unit_weights), on_device_(rows) {}

  /// Makes address() that of the rows of this width. @param width 0: none
  /// @throws backends::out_of_device_memory, backends::launch_error; a later call may ask for another width
  void place(unsigned width);

  /// Does `work`, which allocates device memory; where that is short, once more after the rows of other widths
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
  /// Those of vertices and overflow rows; without, the vertices.
  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  struct placement {
    backends::device_memory words;
    std::size_t rows;
  };
  [[nodiscard]] placement make(unsigned width) const;
  [[nodiscard]] placement make_on_device(unsigned width) const;
  /// @return whether there were any
  bool drop_others();

  backends::backend& device_;
  const graph::csr_graph& graph_;
  bool unit_weights_;
  const resident_rows& on_device_;
  const void* address_ = nullptr;
  std::size_t rows_ = 0;
  std::map<unsigned, placement> by_width_;
};

}  // namespace mlmq::problems
