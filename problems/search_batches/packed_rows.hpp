// SPDX-License-Identifier: Apache-2.0
// Rows in place with 32 bits for each edge (kernels/batches/packed_rows.cuh).
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "simt/types.cuh"

namespace mlmq::batches {

struct packed_rows {
  std::vector<u32> words;     ///< `width` for each vertex
  unsigned weight_bits = 0;   ///< low bits of a word, 1 to 31
  std::size_t elsewhere = 0;  ///< rows that do not fit: too many edges, or a weight or a difference that is too large
};

/// With as many bits for weights as lets most rows fit.
/// @param width 4, 8 or 16
/// @throws backends::launch_error when the weights are floats, or more than one row in eight does not fit
[[nodiscard]] packed_rows pack_rows(const graph::csr_graph& graph, unsigned width);

/// The same in device memory. Those made once are kept.
class resident_packed_rows {
 public:
  /// @param device, graph must outlive these
  resident_packed_rows(backends::backend& device, const graph::csr_graph& graph) : device_(device), graph_(graph) {}

  /// Makes address() that of the rows of this width.
  /// @throws backends::out_of_device_memory, backends::launch_error as pack_rows()
  void place(unsigned width);
  [[nodiscard]] const void* address() const { return now_->words.address(); }
  [[nodiscard]] unsigned weight_bits() const { return now_->weight_bits; }

 private:
  struct placement {
    backends::device_memory words;
    unsigned weight_bits;
  };
  backends::backend& device_;
  const graph::csr_graph& graph_;
  std::map<unsigned, placement> by_width_;
  const placement* now_ = nullptr;
};

}  // namespace mlmq::batches
