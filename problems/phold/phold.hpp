// SPDX-License-Identifier: Apache-2.0
// The problem phold: the events per second that a device executes in a discrete-event simulation. A workload is a model
// (phold_workload.hpp), a query is the virtual end time, and the answer is a hash of all executed events.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "problems/phold/phold_workload.hpp"
#include "tuner/problem.hpp"

namespace mlmq::phold {

class phold_problem final : public tuner::problem {
 public:
  [[nodiscard]] std::string name() const override { return "phold"; }
  [[nodiscard]] const tuner::workload_kind& workloads() const override { return phold_kind(); }
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override;
  [[nodiscard]] std::span<const tuner::preset> presets() const override;
  [[nodiscard]] std::span<const tuner::named_meaning> query_settings() const override;
  [[nodiscard]] std::span<const tuner::named_meaning> counters() const override;
  [[nodiscard]] tuner::work_ratio work() const override;
  [[nodiscard]] std::string rate_counter() const override { return "events"; }
  [[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules) const override;
  [[nodiscard]] std::vector<tuner::query> choose_queries(const tuner::workload& workload,
                                                         const tuner::query_rules& rules) const override;
  [[nodiscard]] std::string source_hash(const tuner::configuration& chosen) const override;
  [[nodiscard]] std::string unfit_reason(const tuner::configuration& chosen,
                                         const backends::device_info& device) const override;
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device,
                                                              const tuner::workload& workload) const override;
};

/// Returns the declarations of the parameters.
[[nodiscard]] std::span<const tuner::parameter_declaration> phold_declarations();

}  // namespace mlmq::phold
