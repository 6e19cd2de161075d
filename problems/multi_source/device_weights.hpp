// SPDX-License-Identifier: Apache-2.0
// Finds the weights of a hierarchy's arcs on a device, whenever the graph has new weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "backends/backend.hpp"
#include "graph/hierarchy/elimination.hpp"
#include "hierarchy/customization_abi.cuh"
#include "problems/multi_source/solver.hpp"

namespace mlmq::multi_source {

/// The kernels of device_weights.
struct weight_kernels {
  backends::kernel_source finder;
  backends::kernel_source writer;
};

enum class weight_use {
  needed_arcs,  ///< for searches by pieces, which use only the arcs that no other path replaces
  all_arcs,     ///< for searches by supernodes, which use the shortest length of each arc
};

/// Returns the variants of the kernels. @param is_long whether sums must saturate
[[nodiscard]] weight_kernels weight_kernels_for(const backends::device_info& device, weight_use use, bool is_long);

/// The arcs of an elimination on a device.
class device_weights {
 public:
  /// Uploads the arcs. Their weights are undefined until find() is called.
  /// @param input must outlive the object
  /// @param tree an elimination of its graph; only the constructor reads it
  /// @throws backends::launch_error if the elimination has 2^31 arcs or more, or too many supernodes
  /// @throws backends::out_of_device_memory
  device_weights(const solver_input& input, const graph::elimination& tree, weight_use use);

  /// Finds the weights of all arcs from the weights that the graph has now.
  /// @throws backends::launch_error if it takes longer than a minute
  void find();

  /// Writes the items of pieces with the weights that find() has found; only for needed arcs, like the next three.
  /// @param drafts items of cut_into_pieces()
  void write(const backends::device_memory& pieces, std::uint32_t piece_count, const backends::device_memory& drafts,
             const backends::device_memory& items);

  [[nodiscard]] const backends::device_memory& vertices() const { return vertices_; }
  [[nodiscard]] const backends::device_memory& ascent_arcs() const { return ascent_arcs_; }
  /// Returns the weights of arcs from ancestors, by arc; no_path for those that are not needed.
  [[nodiscard]] const u32* needed_downward() const { return lengths(2).downward; }
  /// Returns the lengths of shortest paths over all vertices, by arc.
  [[nodiscard]] arc_lengths shortest() const { return lengths(1); }

 private:
  void compile(bool is_long);
  /// Returns the weights of the graph's edges in device memory.
  [[nodiscard]] const std::uint32_t* edge_weights();
  /// Returns the lengths of one kind, in the order of customization_arguments.
  [[nodiscard]] arc_lengths lengths(std::size_t kind) const {
    u32* const first = lengths_.as<u32>() + 2 * kind * arcs_;
    return {first, first + arcs_};
  }

  const solver_input& input_;
  backends::backend& device_;
  weight_use use_;
  backends::device_memory edge_weights_;  ///< a copy of weights in host memory
  backends::device_memory edge_arcs_;
  backends::device_memory first_arcs_;
  backends::device_memory heads_;
  backends::device_memory panels_;
  backends::device_memory columns_;
  backends::device_memory rows_;
  backends::device_memory places_;
  backends::device_memory tiles_;
  backends::device_memory strips_;
  backends::device_memory level_tiles_;
  backends::device_memory level_strips_;
  backends::device_memory lengths_;  ///< two words per arc for each kind
  backends::device_memory vertices_;
  backends::device_memory ascent_arcs_;
  backends::device_memory control_;
  std::uint32_t edges_ = 0;
  std::uint32_t vertex_count_ = 0;
  std::uint32_t arcs_ = 0;
  std::uint32_t levels_ = 0;
  bool is_long_ = false;
  std::array<std::shared_ptr<const backends::kernel>, 2> finders_;  ///< the second one for long paths
  std::array<std::shared_ptr<const backends::kernel>, 2> writers_;
};

}  // namespace mlmq::multi_source
