// SPDX-License-Identifier: Apache-2.0
// The problems sssp_batch and bfs_batch: searches of one graph from many sources.
#pragma once

#include <memory>
#include <string>

#include "problems/multi_source/multi_source_problem.hpp"
#include "problems/multi_source/solver.hpp"
#include "tuner/problem.hpp"

namespace mlmq::multi_source {

/// An instance that supports direct requests in addition to queries.
class search_instance : public tuner::problem_instance {
 public:
  /// Like run(), for a direct request. check() does not support these.
  [[nodiscard]] virtual tuner::run_report search(const search_request& request, double time_limit_ms) = 0;
  /// Replaces the weights of the graph, without a new upload of its edges or a new order of its hierarchy. prepare()
  /// must follow. Answers of earlier searches can no longer be read.
  /// @param graph has the same edges, and weights of the same type; bfs ignores the weights
  /// @param on_device  the weights in device memory, which a hierarchy on the device reads there; may be null
  virtual void update_weights(const graph::csr_graph& graph,
                              std::shared_ptr<const problems::resident_weights> on_device = nullptr) = 0;

  /// The solver of the last answers.
  [[nodiscard]] virtual solver& active_solver() = 0;
  /// The graph on the device.
  [[nodiscard]] virtual const problems::resident_graph& on_device() const = 0;
};

class search_problem final : public multi_source_problem {
 public:
  /// @param limits capacities of the piles of a search; tests use small ones
  explicit search_problem(problems::search_kind kind, problems::ring_limits limits = {});

  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device,
                                                              const tuner::workload& workload) const override;

  /// Like load(), for a graph that is not a workload.
  /// @param name name of the graph, for errors
  /// @param store, reductions  like for problems::search::load_graph()
  [[nodiscard]] std::unique_ptr<search_instance> load_graph(
      backends::backend& device, const graph::csr_graph& graph, const std::string& name,
      problems::row_store* store = nullptr, std::shared_ptr<graph::lazily_reduced_graphs> reductions = nullptr) const;

 private:
  [[nodiscard]] std::string code_hash(const std::string& solver) const override;

  problems::ring_limits limits_;
};

}  // namespace mlmq::multi_source
