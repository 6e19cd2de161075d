// SPDX-License-Identifier: Apache-2.0
// Sums of a quantity of the edges along shortest paths, such as the length of the fastest route.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "library/device_data.hpp"
#include "mlmq/graph.hpp"
#include "problems/multi_source/distance_reader.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::detail {

/// Returns the graph with the weights that searches of this kind use.
[[nodiscard]] graph::csr_graph searched_graph(const digraph& graph, problems::search_kind kind);

/// A graph and a quantity of its edges. The device has the edges into each vertex.
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

  /// Uploads the edges unless they are on the device. Called with the device locked.
  /// @throws backends::out_of_device_memory
  void upload();
  [[nodiscard]] const backends::device_memory& ranges() const { return ranges_; }
  [[nodiscard]] const backends::device_memory& edges() const { return edges_; }

 private:
  std::shared_ptr<device_data> device_;
  digraph graph_;
  graph::csr_graph csr_;
  problems::search_kind kind_;
  std::vector<std::uint32_t> quantities_;
  backends::device_memory ranges_;
  backends::device_memory edges_;
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

/// The searches of a block, and the pairs of a search and a vertex, ordered by search.
struct searched_pairs {
  std::vector<graph::vertex_id> sources;
  std::vector<std::uint32_t> first_pair;  ///< of each search, and the number of pairs
  std::vector<graph::vertex_id> vertices;
};

/// Returns a reader whose results are the sums of pairs, no_result if not reached. The paths are those of
/// graph::predecessors(); of parallel edges that are equally short, the one with the smallest quantity counts.
/// @param device the graph's, or processors; must outlive the reader
[[nodiscard]] std::unique_ptr<multi_source::distance_reader> make_path_sum_reader(backends::backend& device,
                                                                                  std::shared_ptr<path_graph> graph,
                                                                                  searched_pairs pairs);

/// Returns the variant of the kernel that replaces vertices by rows.
[[nodiscard]] backends::kernel_source edge_place_variant();
/// Returns the variant of the kernel that sums along paths.
[[nodiscard]] backends::kernel_source path_sum_variant(graph::weight_type type);

}  // namespace mlmq::detail
