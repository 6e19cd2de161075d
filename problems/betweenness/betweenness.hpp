// SPDX-License-Identifier: Apache-2.0
// The problems sssp_betweenness and bfs_betweenness: the fraction of all shortest paths through each vertex.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problems/betweenness/solver.hpp"
#include "tuner/problem.hpp"

namespace mlmq::centrality {

/// An instance that supports direct requests in addition to queries.
class betweenness_instance : public tuner::problem_instance {
 public:
  /// Like run(), for a direct request. check() does not support these.
  /// @throws input_error if shortest paths cannot be counted
  [[nodiscard]] virtual tuner::run_report add_up(const betweenness_request& request, double time_limit_ms) = 0;
  /// Returns the scores of the last successful run, one per vertex, summed over its sources.
  [[nodiscard]] virtual std::vector<fixed_score> scores() = 0;
};

class betweenness final : public tuner::problem {
 public:
  explicit betweenness(problems::search_kind kind) : kind_(kind), searching_(kind) {}

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] const tuner::workload_kind& workloads() const override;
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override;
  [[nodiscard]] std::span<const tuner::named_meaning> query_settings() const override;
  [[nodiscard]] std::span<const tuner::named_meaning> counters() const override;
  [[nodiscard]] std::string rate_counter() const override { return "searches"; }
  [[nodiscard]] tuner::work_ratio work() const override { return {"pops", "m", "pops/vertex"}; }
  [[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules) const override;
  [[nodiscard]] std::vector<tuner::query> choose_queries(const tuner::workload& workload,
                                                         const tuner::query_rules& rules) const override;
  [[nodiscard]] std::string source_hash(const tuner::configuration& chosen) const override;
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device,
                                                              const tuner::workload& workload) const override;

  /// Like load(), for a graph that is not a workload. @param name name of the graph, for messages
  [[nodiscard]] std::unique_ptr<betweenness_instance> load_graph(backends::backend& device,
                                                                 const graph::csr_graph& graph,
                                                                 const std::string& name) const;

 private:
  problems::search_kind kind_;
  multi_source::search_problem searching_;
};

}  // namespace mlmq::centrality
