// SPDX-License-Identifier: Apache-2.0
// Rows of fixed width with 32 bits per edge (kernels/multi_source/packed_rows.cuh).
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "simt/types.cuh"

namespace mlmq::multi_source {

struct packed_rows {
  std::vector<u32> words;     ///< `width` words per vertex
  unsigned weight_bits = 0;   ///< low bits of a word that store the weight, 1 to 31
  std::size_t elsewhere = 0;  ///< rows that do not fit: too many edges, or a weight or difference that is too large
};

/// Packs rows with the number of weight bits with which most rows fit.
/// @param width 4, 8 or 16
/// @throws backends::launch_error if the weights are floats, or if more than one row in eight does not fit
[[nodiscard]] packed_rows pack_rows(const graph::csr_graph& graph, unsigned width);

/// Packed rows in device memory, cached by width.
class resident_packed_rows {
 public:
  /// @param device, graph must outlive the object
  resident_packed_rows(backends::backend& device, const graph::csr_graph& graph) : device_(device), graph_(graph) {}

  /// Makes the rows of this width, if necessary, and selects them for address().
  /// @throws backends::out_of_device_memory, backends::launch_error like pack_rows()
  void place(unsigned width);
  [[nodiscard]] const void* address() const { return current_->words.address(); }
  [[nodiscard]] unsigned weight_bits() const { return current_->weight_bits; }

 private:
  struct placement {
    backends::device_memory words;
    unsigned weight_bits;
  };
  backends::backend& device_;
  const graph::csr_graph& graph_;
  std::map<unsigned, placement> by_width_;
  const placement* current_ = nullptr;
};

}  // namespace mlmq::multi_source
