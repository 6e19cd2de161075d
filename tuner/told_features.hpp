// SPDX-License-Identifier: Apache-2.0
// What a selector is told of a graph on record.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "db/records.hpp"

namespace mlmq::tuner {

/// The features of these names, in their order; NaN for those that selectors are not told of a graph with so few edges
/// (graph/feature_list.hpp), whether they are on record or not.
/// @throws input_error naming the graph for one that is told and not on record
[[nodiscard]] std::vector<double> told_features(const db::graph_record& graph, std::span<const std::string_view> names);

}  // namespace mlmq::tuner
