// SPDX-License-Identifier: Apache-2.0
// All features of a graph that can be computed without solving a problem, with their cost: the eight features of MLMQ's
// Table 2 and more.
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
  pass,      ///< computed in one pass over row offsets and weights, on the CPU or a GPU: negligible cost
  sampling,  ///< samples a bounded number of edges, on one CPU core: some tenths of a millisecond
};

/// Returns "pass" or "sampling".
[[nodiscard]] std::string_view name_of(feature_cost cost) noexcept;

struct feature_definition {
  std::string_view name;
  feature_cost cost;
  std::string_view meaning;
};

/// Returns all features in a fixed order: those of feature_names(), then the other features of the pass, then the
/// sampled ones. New features are added at the end of their cost class, so refer to features by name.
[[nodiscard]] std::span<const feature_definition> feature_definitions();

/// Returns the number of features that the pass computes. They are the first ones of feature_definitions().
[[nodiscard]] std::size_t pass_feature_count() noexcept;

/// Values of all features of feature_definitions(), or of the first ones. All are finite, 0 where there is nothing to
/// measure, and the same on every machine.
using feature_values = std::vector<double>;

/// Computes all features. @param threads number of threads for the pass; 0: one per core
[[nodiscard]] feature_values all_features(const csr_graph& graph, unsigned threads = 0);

/// Computes only the named features, in the order of `names`. Cost classes without a named feature are skipped.
/// @param threads number of threads for the pass; 0: one per core
/// @throws input_error for an unknown name
[[nodiscard]] feature_values some_features(const csr_graph& graph, std::span<const std::string_view> names,
                                           unsigned threads = 0);

/// Returns the eight features of Table 2, which are the first of `values`.
/// @param values at least eight
[[nodiscard]] graph_features table2_of(const feature_values& values);

/// Returns the value that a feature of the weights has if all weights are 1, as in breadth-first search; empty for
/// other features.
/// @param average_degree average degree of the graph; 0 if it has no edges
[[nodiscard]] std::optional<double> unit_weight_value(std::string_view name, double average_degree);

/// Returns the position of a feature in feature_definitions(). @throws input_error for an unknown name, listing the
/// known ones
[[nodiscard]] std::size_t feature_index(std::string_view name);

}  // namespace mlmq::graph
