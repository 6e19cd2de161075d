// SPDX-License-Identifier: Apache-2.0
// The features of one graph, found when a model asks for them: by the device that has the graph, or by processors.
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
  /// @param graph that is searched; must outlive this
  explicit graph_features(const graph::csr_graph& graph) : graph_(graph) {}

  [[nodiscard]] bool lacks(std::span<const std::string_view> names) const;

  /// What a look around in the graph finds, by another processor beside whatever follows. As std::async(), but taking the
  /// result does not wait for the thread to be cleared away.
  class samples {
   public:
    /// Nothing is looked for.
    samples() = default;
    explicit samples(const graph::csr_graph& graph);
    [[nodiscard]] bool are_coming() const { return found_.valid(); }
    /// Waits for them.
    [[nodiscard]] graph::feature_values take() { return found_.get(); }

   private:
    std::future<graph::feature_values> found_;
    std::jthread worker_;
  };

  /// Nothing when none of the wanted features needs it, or when they are known.
  [[nodiscard]] samples start_sampling(std::span<const std::string_view> wanted) const;

  /// Finds those that are not known yet, and no class of them that is not wanted.
  /// @param on_device the graph on a device, which finds some of them sooner; null: it is on none
  /// @return milliseconds
  double find(std::span<const std::string_view> wanted, samples sampling, problems::graph_instance* on_device);

  /// The features that have been found, by name.
  [[nodiscard]] const tuner::named_features& values() const { return values_; }

 private:
  void keep_size();
  void keep(const graph::feature_values& found, std::size_t first);
  [[nodiscard]] graph::feature_values sampled(std::span<const std::string_view> wanted, samples& sampling) const;
  double find_pass(problems::graph_instance* on_device);
  [[nodiscard]] double edges() const { return static_cast<double>(graph_.edge_count()); }

  const graph::csr_graph& graph_;
  tuner::named_features values_;
  bool has_pass_ = false;        // whether the features of a pass are among them
  graph::vertex_id widest_ = 0;  // of the largest degree, once the features of a pass are found
};

}  // namespace mlmq::detail
