// SPDX-License-Identifier: Apache-2.0
// The problems sssp_betweenness and bfs_betweenness: the fraction of all shortest paths through each vertex.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/betweenness/solver.hpp"
#include "tuner/problem.hpp"

namespace mlmq::betweenness {

/// An instance that supports direct requests in addition to queries.
class betweenness_instance : public tuner::problem_instance {
 public:
  /// Like run(), for a direct request. check() does not support these.
  /// @throws input_error if shortest paths cannot be counted
  [[nodiscard]] virtual tuner::run_report add_up(const betweenness_request& request, double time_limit_ms) = 0;
  /// Returns the scores of the last successful run, one per vertex, summed over its sources.
  [[nodiscard]] virtual std::vector<fixed_score> scores() = 0;
};

class betweenness final : public multi_source::multi_source_problem {
 public:
  explicit betweenness(problems::search_kind kind);

  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device,
                                                              const tuner::workload& workload) const override;

  /// Like load(), for a graph that is not a workload. @param name name of the graph, for messages
  [[nodiscard]] std::unique_ptr<betweenness_instance> load_graph(backends::backend& device,
                                                                 const graph::csr_graph& graph,
                                                                 const std::string& name) const;

 private:
  [[nodiscard]] std::string code_hash(const std::string& solver) const override;

  multi_source::search_problem searching_;
};

}  // namespace mlmq::betweenness
