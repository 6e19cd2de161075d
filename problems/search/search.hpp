// SPDX-License-Identifier: Apache-2.0
// Single-source shortest paths and breadth-first search as tuning problems: one kernel, one set of parameters.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "tuner/problem.hpp"

namespace mlmq::problems {

enum class search_kind {
  sssp,  ///< by the graph's weights
  bfs,   ///< every edge has length 1, whatever its weight; distances are levels
};

/// "sssp" or "bfs".
[[nodiscard]] std::string_view name_of(search_kind kind);

/// Slots of one ring or heap of the L2 queue, powers of two. A run that finds one full is repeated with four times as
/// many.
struct ring_limits {
  std::size_t first = 0;  ///< 0: chosen from the graph
  std::size_t largest = std::size_t{1} << 30;
};

class search final : public tuner::problem {
 public:
  explicit search(search_kind kind, ring_limits limits = {}) : kind_(kind), limits_(limits) {}

  [[nodiscard]] std::string name() const override { return std::string(name_of(kind_)); }
  [[nodiscard]] std::span<const tuner::parameter_declaration> declarations() const override;
  [[nodiscard]] std::string source_hash(const tuner::configuration& chosen) const override;
  [[nodiscard]] std::unique_ptr<tuner::problem_instance> load(backends::backend& device, const graph::csr_graph& graph,
                                                              const std::string& graph_name) const override;

 private:
  search_kind kind_;
  ring_limits limits_;
  mutable std::map<std::string, std::string> source_hashes_;  // by file
};

}  // namespace mlmq::problems
