// SPDX-License-Identifier: Apache-2.0
// What selectors are told of a workload: features by name. The ratios of them that a model looks at besides are its own
// matter (encoding.hpp).
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/csr.hpp"

namespace mlmq::selector {

/// What is known of a workload.
using named_features = std::map<std::string, double, std::less<>>;

/// Of a graph with fewer edges selectors are not told what sampling finds: it would take longer than many a search, and
/// than to bring the graph to a device, beside which it is done.
inline constexpr double least_sampled_edges = 1 << 18;

/// Whether selectors are told a feature. @param nnz the feature of this name; NaN: the workload has none
[[nodiscard]] bool is_told(std::string_view feature, double nnz);

/// Whether selectors are told one of these features of a graph with so many edges, and it costs more than a pass over it.
[[nodiscard]] bool need_sampling(std::span<const std::string_view> features, double nnz);

/// One value for each name: NaN, unknown, for what selectors are not told, whether it is known or not.
/// @throws input_error naming the workload for a feature that is told and not known: a choice without would be a guess
[[nodiscard]] std::vector<double> told_features(const named_features& known, std::span<const std::string_view> names,
                                                std::string_view workload);

/// The same computed from a graph; a class of features that none of the names is of costs nothing.
/// @throws input_error for an unknown name
[[nodiscard]] std::vector<double> told_features(const graph::csr_graph& graph, std::span<const std::string_view> names);

/// The names that a list stands for, each once: `table2` (MLMQ's eight), `pass` (what a pass over a graph gives), `standard`
/// (that, hops and frontier), `all`, of those that are `known`; and names, known or not. What is known and no feature of
/// graphs belongs to `standard` and `all`.
[[nodiscard]] std::vector<std::string> named_by(std::span<const std::string> list, std::span<const std::string> known);

}  // namespace mlmq::selector
