// SPDX-License-Identifier: Apache-2.0
// The elimination hierarchy of an instance's graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "graph/distance_bound.hpp"
#include "graph/hierarchy/customization.hpp"

namespace mlmq::multi_source {

/// A hierarchy that is built on first use, because this takes longer than hundreds of searches. Objects of one graph,
/// for several devices, share it. Thread-safe with respect to other objects.
class lazily_built_hierarchy {
 public:
  /// @param graph must outlive the object
  explicit lazily_built_hierarchy(const graph::csr_graph& graph) : graph_(graph), structure_(graph) {}

  /// Returns whether distances of 2^31 - 1 or more are possible, so that sums must saturate.
  [[nodiscard]] bool has_long_paths();
  /// Returns the largest distance that a vertex within a cutoff can have.
  [[nodiscard]] std::uint32_t farthest_within(graph::wide_distance_bits cutoff);

  /// Returns the elimination, which does not depend on the weights.
  /// @throws backends::launch_error if the graph does not suit the method
  [[nodiscard]] std::shared_ptr<const graph::elimination> tree();

  /// Call it when the graph has new weights: the elimination is kept.
  /// @param heaviest the largest one, if weights in host memory need not be read for it
  void forget_weights(std::optional<std::uint32_t> heaviest = std::nullopt);

  /// Returns the graph with its first weights: its edges can be read without a copy from a device.
  [[nodiscard]] const graph::csr_graph& structure() const { return structure_; }

  /// @throws backends::launch_error if the graph does not suit the method
  [[nodiscard]] const graph::search_hierarchy& get();

 private:
  const graph::csr_graph& graph_;
  const graph::csr_graph structure_;
  std::optional<std::uint32_t> heaviest_;
  graph::distance_bound bound_;
  std::optional<bool> has_long_paths_;
  std::shared_ptr<const graph::elimination> tree_;
  std::shared_ptr<const graph::search_hierarchy> built_;
};

}  // namespace mlmq::multi_source
