// SPDX-License-Identifier: Apache-2.0
// The features of one graph, computed when a model needs them, on the graph's device or on processors.
#pragma once

#include <future>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "graph/csr.hpp"
#include "graph/feature_list.hpp"
#include "problems/shortest_paths/instance.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::detail {

/// Not thread-safe.
class graph_features {
 public:
  /// @param graph  graph to search; must outlive this
  explicit graph_features(const graph::csr_graph& graph) : graph_(graph) {}

  [[nodiscard]] bool lacks(std::span<const std::string_view> names) const;

  /// Samples of the graph, taken by another thread. Like std::async(), but taking the result does not wait for the
  /// thread to be destroyed.
  class samples {
   public:
    /// Takes no samples.
    samples() = default;
    explicit samples(const graph::csr_graph& graph);
    [[nodiscard]] bool are_coming() const { return future_.valid(); }
    /// Waits for the samples.
    [[nodiscard]] graph::feature_values take() { return future_.get(); }

   private:
    std::future<graph::feature_values> future_;
    std::jthread worker_;
  };

  /// Starts sampling if one of the named features needs it and is not known yet.
  [[nodiscard]] samples start_sampling(std::span<const std::string_view> names) const;

  /// Computes the missing features, but no class of features that is not named.
  /// @param on_device  the graph on a device, which computes some features faster; null: not on a device
  /// @return milliseconds
  double find(std::span<const std::string_view> names, samples sampling, problems::graph_instance* on_device);

  /// Returns the known features by name.
  [[nodiscard]] const tuner::named_features& values() const { return values_; }

 private:
  void keep_size();
  void keep(const graph::feature_values& values, std::size_t first);
  [[nodiscard]] graph::feature_values sampled(std::span<const std::string_view> names, samples& sampling) const;
  double find_pass(problems::graph_instance* on_device);
  [[nodiscard]] double edges() const { return static_cast<double>(graph_.edge_count()); }

  const graph::csr_graph& graph_;
  tuner::named_features values_;
  bool has_pass_ = false;        // whether `values_` contains the features of a pass
  graph::vertex_id widest_ = 0;  // vertex with the largest degree, valid if has_pass_
};

}  // namespace mlmq::detail
