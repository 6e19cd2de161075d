// SPDX-License-Identifier: Apache-2.0
// The ELL rows of a graph (kernels/edges.cuh): a fixed number of words per vertex, so that short rows need no bounds.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/graphs/resident_graph.hpp"
#include "simt/types.cuh"

namespace mlmq::problems {

/// Makes `width` words per vertex: its edges, then `no_edge`. A longer row keeps its `width` - 1 shortest edges there
/// and the number of an overflow row in the last word; overflow rows follow the rows of the vertices. A row of more
/// than 4 * `width` edges consists of the word `long_row`.
/// @param width 2 … 32
/// @throws backends::launch_error if there were 2^31 rows or more
[[nodiscard]] std::vector<u64> weighted_ell_rows(const graph::csr_graph& graph, unsigned width);
/// Makes ELL rows with weights of 8 bytes, without overflow rows: each longer row has the word `long_row`. An overflow
/// row would need the distance of its vertex, which an element does not contain.
[[nodiscard]] std::vector<graph::wide_edge> wide_ell_rows(const graph::csr_graph& graph, unsigned width);
/// Makes ELL rows without weights.
[[nodiscard]] std::vector<u32> unit_ell_rows(const graph::csr_graph& graph, unsigned width);

/// ELL rows in device memory. They depend only on the graph and the width and are cached while memory suffices. Making
/// them on a processor often takes longer than a search, so the device makes them for a large graph and for one whose
/// arrays are not in host memory, except with weights of 8 bytes.
class resident_ell {
 public:
  /// @param device, graph, rows must outlive the object; `rows` are the graph's rows on the device
  resident_ell(backends::backend& device, const graph::csr_graph& graph, bool unit_weights, const resident_rows& rows)
      : device_(device), graph_(graph), unit_weights_(unit_weights), on_device_(rows) {}

  /// Makes the rows of this width, if necessary, and selects them for address(). @param width 0: none
  /// @throws backends::out_of_device_memory, backends::launch_error; the object remains usable with other widths
  void place(unsigned width);

  /// Runs `work`, which allocates device memory. If memory is short, frees the rows of other widths and runs it again:
  /// whether a search fits must not depend on earlier measurements.
  /// @throws whatever `work` throws
  template <class Work>
  void with_room(const Work& work) {
    try {
      return work();
    } catch (const backends::out_of_device_memory&) {
      if (!drop_others()) throw;
    }
    work();
  }

  /// The address of the selected rows; null if there are none.
  [[nodiscard]] const void* address() const { return address_; }
  /// Number of rows of vertices plus overflow rows; the number of vertices if no rows are selected.
  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  struct placement {
    backends::device_memory words;
    std::size_t rows;
  };
  [[nodiscard]] placement make(unsigned width) const;
  [[nodiscard]] placement make_on_device(unsigned width) const;
  /// Frees the rows of all widths but the selected one. @return whether there were any
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
