// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths as a tuning problem.
#pragma once

#include "tuner/problem.hpp"

namespace mlmq::problems {

class sssp final : public tuner::problem {
 public:
  [[nodiscard]] std::string name() const override { return "sssp"; }
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override;
  [[nodiscard]] std::string source_hash() const override;
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device, const graph::csr_graph& graph,
                                                              const std::string& graph_name) const override;
};

}  // namespace mlmq::problems
