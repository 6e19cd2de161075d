// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths as a tuning problem.
#pragma once

#include <cstddef>

#include "tuner/problem.hpp"

namespace mlmq::problems {

/// Slots of one ring of the L2 queue, powers of two. A run that finds a ring full is repeated with four times as many.
struct ring_limits {
  std::size_t first = 0;  ///< 0: chosen from the graph
  std::size_t largest = std::size_t{1} << 30;
};

class sssp final : public tuner::problem {
 public:
  explicit sssp(ring_limits limits = {}) : limits_(limits) {}

  [[nodiscard]] std::string name() const override { return "sssp"; }
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override;
  [[nodiscard]] std::string source_hash() const override;
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device, const graph::csr_graph& graph,
                                                              const std::string& graph_name) const override;

 private:
  ring_limits limits_;
};

}  // namespace mlmq::problems
