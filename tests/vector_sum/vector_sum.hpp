// SPDX-License-Identifier: Apache-2.0
// The problem vector_sum: a trivial problem that has every part a problem can have. A query is a part of a vector, for
// example `from=0:to=64`; its answer is the sum of the numbers in that part.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/problem.hpp"

namespace mlmq::vector_sum {

class sum_of_vector : public tuner::problem {
 public:
  [[nodiscard]] std::string name() const override { return "vector_sum"; }
  [[nodiscard]] const tuner::workload_kind& workloads() const override;
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override;
  [[nodiscard]] std::span<const tuner::named_meaning> query_settings() const override;
  [[nodiscard]] std::span<const tuner::named_meaning> counters() const override;
  [[nodiscard]] tuner::work_ratio work() const override { return {"adds", "size", "adds/number"}; }
  [[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules) const override;
  [[nodiscard]] std::vector<tuner::query> choose_queries(const tuner::workload& workload,
                                                         const tuner::query_rules& rules) const override;
  [[nodiscard]] std::string source_hash(const tuner::configuration& chosen) const override;
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device,
                                                              const tuner::workload& workload) const override;
};

}  // namespace mlmq::vector_sum
