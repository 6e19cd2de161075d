// SPDX-License-Identifier: Apache-2.0
// Everything that can be known of a graph without solving anything: the eight features of MLMQ's Table 2 and more, each
// with what it costs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/csr.hpp"
#include "graph/features.hpp"

namespace mlmq::graph {

enum class feature_cost {
  pass,      ///< comes with one pass over row starts and weights, on processors or on a GPU: next to nothing
  sampling,  ///< looks at a bounded number of edges here and there, on one processor: some tenths of a millisecond
};

/// "pass" or "sampling".
[[nodiscard]] std::string_view name_of(feature_cost cost) noexcept;

struct feature_definition {
  std::string_view name;
  feature_cost cost;
  std::string_view meaning;
};

/// In a fixed order: those of feature_names(), then more of a pass, then the sampled ones. New ones are added at the
/// end of their cost class, so refer to features by name.
[[nodiscard]] std::span<const feature_definition> feature_definitions();

/// How many of feature_definitions() come with the pass: the first ones.
[[nodiscard]] std::size_t pass_feature_count() noexcept;

/// One value for each of feature_definitions(), or for the first ones. All finite; 0 where there is nothing to
/// measure. The same on every machine.
using feature_values = std::vector<double>;

/// @param threads for the pass; 0: one for each core
[[nodiscard]] feature_values all_features(const csr_graph& graph, unsigned threads = 0);

/// These features only, in the order of their names; a class of features that none of them is of costs nothing.
/// @param threads for the pass; 0: one for each core
/// @throws input_error for an unknown name
[[nodiscard]] feature_values some_features(const csr_graph& graph, std::span<const std::string_view> names,
                                           unsigned threads = 0);

/// The eight features of Table 2, which are the first.
/// @param values at least eight
[[nodiscard]] graph_features table2_of(const feature_values& values);

/// What a feature of the weights is when all of them are 1, as breadth-first search sees them; nothing for other
/// features.
/// @param average_degree of the graph; 0 when it has no edges
[[nodiscard]] std::optional<double> unit_weight_value(std::string_view name, double average_degree);

/// The place of a feature in feature_definitions(). @throws input_error for an unknown name, listing the known ones
[[nodiscard]] std::size_t feature_index(std::string_view name);

}  // namespace mlmq::graph
