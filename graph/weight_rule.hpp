// SPDX-License-Identifier: Apache-2.0
// Generates weights for graphs: one structure, many distributions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Distributions of positive integers. They use integer arithmetic only, so the weights are the same on every machine.
enum class weight_distribution {
  unit,     ///< 1
  uniform,  ///< 1 … 100, equally likely: average 50.5
  skewed,   ///< nine in ten 1 … 10, one in ten 501 … 1500: average 105, median 6
  pareto,   ///< heavy-tailed: at least w with probability 10 / w, up to 10^6 (bounded Pareto, index 1): average 115,
            ///< median 20
};

/// Returns "unit", "uniform", "skewed" and "pareto".
[[nodiscard]] const std::vector<std::string>& weight_distribution_names();
[[nodiscard]] std::string_view name_of(weight_distribution distribution) noexcept;
/// Returns the distribution with this name. @throws input_error for an unknown name, listing the known ones
[[nodiscard]] weight_distribution weight_distribution_from(std::string_view name);

/// Rule by which edges get weights: the distribution maps a hash of the seed and the two ends, which does not depend on
/// the direction. Parallel edges have equal weights.
struct weight_rule {
  weight_distribution distribution = weight_distribution::uniform;
  std::uint64_t seed = 1;
  bool operator==(const weight_rule&) const = default;
};

[[nodiscard]] std::uint32_t drawn_weight(const weight_rule& rule, vertex_id u, vertex_id v) noexcept;

/// Returns the same graph with generated weights (uint32). The targets are shared, not copied.
[[nodiscard]] csr_graph with_drawn_weights(const csr_graph& graph, const weight_rule& rule);

}  // namespace mlmq::graph
