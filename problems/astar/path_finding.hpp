// SPDX-License-Identifier: Apache-2.0
// The problem astar: shortest paths between pairs of cells of a grid map, many searches per run.
#pragma once

#include "tuner/problem.hpp"

namespace mlmq::astar {

class path_finding final : public tuner::problem {
 public:
  [[nodiscard]] std::string name() const override { return "astar"; }
  [[nodiscard]] const tuner::workload_kind& workloads() const override;
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override;
  [[nodiscard]] std::span<const tuner::preset> presets() const override;
  [[nodiscard]] std::span<const tuner::named_meaning> query_settings() const override;
  [[nodiscard]] std::span<const tuner::named_meaning> counters() const override;
  [[nodiscard]] std::string rate_counter() const override { return "searches"; }
  [[nodiscard]] tuner::work_ratio work() const override { return {"expansions", "cells", "expansions/cell"}; }
  [[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules) const override;
  [[nodiscard]] std::vector<tuner::query> choose_queries(const tuner::workload& workload,
                                                         const tuner::query_rules& rules) const override;
  [[nodiscard]] std::string source_hash(const tuner::configuration& chosen) const override;
  [[nodiscard]] std::string unfit_reason(const tuner::configuration& chosen,
                                         const backends::device_info& device) const override;
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device,
                                                              const tuner::workload& workload) const override;
};

}  // namespace mlmq::astar
