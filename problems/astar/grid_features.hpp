// SPDX-License-Identifier: Apache-2.0
// What a selector may know of a map: cheap to compute beside reading it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "problems/astar/grid.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::astar {

/// What can be known of a map, each with its meaning.
[[nodiscard]] const tuner::workload_features& grid_feature_definitions();

/// Name and value, in the order of the definitions.
[[nodiscard]] std::vector<std::pair<std::string, double>> features_of(const grid& map);

}  // namespace mlmq::astar
