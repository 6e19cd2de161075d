// SPDX-License-Identifier: Apache-2.0
// A graph with a quantity of its edges that is summed along shortest paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "library/device_data.hpp"
#include "mlmq/graph.hpp"
#include "problems/shortest_paths/search.hpp"
#include "reductions/path_sums_abi.cuh"

namespace mlmq::detail {

/// Returns the graph with the weights that searches of this kind use.
[[nodiscard]] graph::csr_graph searched_graph(const digraph& graph, problems::search_kind kind);

/// A graph and a quantity of its edges.
class path_graph {
 public:
  /// @param device of the readers
  /// @param graph with the weights that are searched
  /// @param quantities one per edge
  path_graph(std::shared_ptr<device_data> device, const digraph& graph, problems::search_kind kind,
             std::span<const std::uint32_t> quantities);
  path_graph(const path_graph&) = delete;
  path_graph& operator=(const path_graph&) = delete;
  ~path_graph();

  /// Returns whether it was made of these. @param graph  compared by identity
  [[nodiscard]] bool has(const digraph& graph, std::span<const std::uint32_t> quantities) const;
  /// Returns the graph with the weights that the searches use.
  [[nodiscard]] const graph::csr_graph& csr() const { return csr_; }
  [[nodiscard]] problems::search_kind kind() const { return kind_; }
  [[nodiscard]] std::span<const std::uint32_t> quantities() const { return quantities_; }

  [[nodiscard]] bool is_of(const backends::backend& device) const { return &device == device_->backend.get(); }

  /// Returns the weight of an edge as its bits; 1 for problem::bfs.
  [[nodiscard]] u64 weight_of(std::size_t edge) const;

  /// Orders the edges by their targets, once, and uploads them to a device with memory of its own. Called with the
  /// device locked. @throws backends::out_of_device_memory
  void prepare();
  // The edges into the vertices, after prepare(): on the device, or on processors.
  [[nodiscard]] const backends::device_memory& device_ranges() const { return device_ranges_; }
  [[nodiscard]] const backends::device_memory& device_edges() const { return device_edges_; }
  [[nodiscard]] std::span<const incoming_edge> edges_into(graph::vertex_id v) const {
    return std::span(edges_).subspan(ranges_[v].first, ranges_[v].last - ranges_[v].first);
  }

 private:
  std::shared_ptr<device_data> device_;
  digraph graph_;
  graph::csr_graph csr_;
  problems::search_kind kind_;
  std::vector<std::uint32_t> quantities_;
  bool is_prepared_ = false;
  std::vector<edge_range> ranges_;
  std::vector<incoming_edge> edges_;
  backends::device_memory device_ranges_;
  backends::device_memory device_edges_;
};

/// Keeps the graph of the last request, since later requests often use the same. Called with the device locked.
class path_graph_cache {
 public:
  path_graph_cache(std::shared_ptr<device_data> device, problems::search_kind kind)
      : device_(std::move(device)), kind_(kind) {}

  [[nodiscard]] std::shared_ptr<path_graph> find(const digraph& graph, std::span<const std::uint32_t> quantities);
  void clear() { last_.reset(); }

 private:
  std::shared_ptr<device_data> device_;
  problems::search_kind kind_;
  std::shared_ptr<path_graph> last_;
};

}  // namespace mlmq::detail
