// SPDX-License-Identifier: Apache-2.0
// Weights drawn for a graph whose own do not matter: one structure, many distributions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// All are positive integers from integer arithmetic alone, so that they are the same on every machine.
enum class weight_distribution {
  unit,     ///< 1
  uniform,  ///< 1 … 100, all alike: average 50.5
  skewed,   ///< nine in ten 1 … 10, one in ten 501 … 1500: average 105, median 6
  pareto,   ///< heavy-tailed: at least w with probability 10 / w, up to 10^6 (bounded Pareto, index 1): average 115,
            ///< median 20
};

/// "unit", "uniform", "skewed", "pareto".
[[nodiscard]] const std::vector<std::string>& weight_distribution_names();
[[nodiscard]] std::string_view name_of(weight_distribution distribution) noexcept;
/// @throws input_error for another name, listing these
[[nodiscard]] weight_distribution weight_distribution_from(std::string_view name);

/// What edges get for weights: a hash of the seed and the two ends that does not depend on the direction, put into the
/// distribution. Parallel edges are equal.
struct weight_rule {
  weight_distribution distribution = weight_distribution::uniform;
  std::uint64_t seed = 1;
  bool operator==(const weight_rule&) const = default;
};

[[nodiscard]] std::uint32_t drawn_weight(const weight_rule& rule, vertex_id u, vertex_id v) noexcept;

/// The same graph with drawn weights (uint32); targets are shared, not copied.
[[nodiscard]] csr_graph with_drawn_weights(const csr_graph& graph, const weight_rule& rule);

}  // namespace mlmq::graph
