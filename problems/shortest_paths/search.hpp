// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths and breadth-first search as tuning problems, which share kernels and parameters.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "problems/shortest_paths/instance.hpp"
#include "tuner/problem.hpp"

namespace mlmq::graph {
class lazily_reduced_graphs;
}

namespace mlmq::problems {

class row_store;

enum class search_kind {
  sssp,  ///< edge lengths are the graph's weights
  bfs,   ///< every edge has length 1, independent of its weight; distances are levels
};

/// Returns "sssp" or "bfs".
[[nodiscard]] std::string_view name_of(search_kind kind);

/// Slots of one ring or heap of the L2 queue, powers of two. A run in which one is full is repeated with four times as
/// many.
struct ring_limits {
  std::size_t first = 0;  ///< 0: chosen from the graph
  std::size_t largest = std::size_t{1} << 30;
};

class search final : public tuner::problem {
 public:
  explicit search(search_kind kind, ring_limits limits = {}) : kind_(kind), limits_(limits) {}

  [[nodiscard]] std::string name() const override { return std::string(name_of(kind_)); }
  [[nodiscard]] const tuner::workload_kind& workloads() const override;
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override;
  [[nodiscard]] std::span<const tuner::preset> presets() const override;
  [[nodiscard]] std::span<const tuner::named_meaning> query_settings() const override;
  [[nodiscard]] std::span<const tuner::named_meaning> counters() const override;
  [[nodiscard]] tuner::work_ratio work() const override { return {"pops", "m", "pops/vertex"}; }
  [[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules) const override;
  [[nodiscard]] std::vector<tuner::query> choose_queries(const tuner::workload& workload,
                                                         const tuner::query_rules& rules) const override;
  [[nodiscard]] std::string source_hash(const tuner::configuration& chosen) const override;
  [[nodiscard]] std::string unfit_reason(const tuner::configuration& chosen,
                                         const backends::device_info& device) const override;
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device,
                                                              const tuner::workload& workload) const override;

  /// Like load(), for a graph that is not a workload.
  /// @param graph_name for messages
  /// @param store store of the graph's rows, only used while loading; null: the instance has its own rows
  /// @param reductions of the graph, with these or other weights; null: the instance has its own
  [[nodiscard]] std::unique_ptr<graph_instance> load_graph(
      backends::backend& device, const graph::csr_graph& graph, const std::string& graph_name,
      row_store* store = nullptr, std::shared_ptr<graph::lazily_reduced_graphs> reductions = nullptr) const;

 private:
  search_kind kind_;
  ring_limits limits_;
  mutable std::map<std::string, std::string> source_hashes_;  // by kernel file
};

}  // namespace mlmq::problems
