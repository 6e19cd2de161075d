// SPDX-License-Identifier: Apache-2.0
// Finds the weights of a hierarchy's arcs on a device, whenever the graph has new weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "graph/hierarchy/elimination.hpp"
#include "hierarchy/customization_abi.cuh"

namespace mlmq::multi_source {

/// The arcs of an elimination on a device.
class device_weights {
 public:
  /// @param device, graph, tree must outlive the object; `tree` is an elimination of the graph, whose weights do not
  ///   matter
  /// @throws backends::launch_error if the elimination has 2^31 arcs or more
  /// @throws backends::out_of_device_memory
  device_weights(backends::backend& device, const graph::csr_graph& graph, const graph::elimination& tree);

  /// Finds all weights. @param is_long like for graph::customize()
  /// @throws backends::launch_error if it takes longer than a minute
  void find(std::span<const std::uint32_t> edge_weights, bool is_long);
  /// @param edge_weights in memory of the device
  void find(const backends::device_memory& edge_weights, bool is_long);

  /// Writes the items of pieces with the weights that find() has found.
  /// @param drafts items of cut_into_pieces()
  void write(const backends::device_memory& pieces, std::uint32_t piece_count, const backends::device_memory& drafts,
             const backends::device_memory& items);

  [[nodiscard]] const backends::device_memory& vertices() const { return vertices_; }
  [[nodiscard]] const backends::device_memory& ascent_arcs() const { return ascent_arcs_; }
  [[nodiscard]] const backends::device_memory& heads() const { return heads_; }
  /// Returns the lengths of shortest paths over all vertices, by arc.
  [[nodiscard]] arc_lengths shortest() const { return lengths(1); }

 private:
  void compile(bool is_long);
  void find_from(const std::uint32_t* edge_weights, bool is_long);
  /// Returns the lengths of one kind, in the order of customization_arguments.
  [[nodiscard]] arc_lengths lengths(std::size_t kind) const {
    u32* const first = lengths_.as<u32>() + 2 * kind * arcs_;
    return {first, first + arcs_};
  }

  backends::backend& device_;
  backends::device_memory edge_weights_;  ///< a copy of weights in host memory
  backends::device_memory edge_arcs_;
  backends::device_memory first_arcs_;
  backends::device_memory heads_;
  backends::device_memory level_arcs_;
  backends::device_memory level_offsets_;
  backends::device_memory lengths_;  ///< six words per arc
  backends::device_memory vertices_;
  backends::device_memory ascent_arcs_;
  backends::device_memory control_;
  std::uint32_t edges_;
  std::uint32_t vertex_count_;
  std::uint32_t arcs_;
  std::uint32_t levels_;
  bool is_long_ = false;
  std::array<std::shared_ptr<const backends::kernel>, 2> finders_;  ///< the second one for long paths
  std::array<std::shared_ptr<const backends::kernel>, 2> writers_;
};

}  // namespace mlmq::multi_source
