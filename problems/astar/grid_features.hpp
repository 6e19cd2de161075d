// SPDX-License-Identifier: Apache-2.0
// Features of a map for selectors. Computing them is cheap compared with reading the map.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "problems/astar/grid.hpp"
#include "tuner/workload_features.hpp"

namespace mlmq::astar {

/// Returns the features of maps with their meanings.
[[nodiscard]] const tuner::workload_features& grid_feature_definitions();

/// Computes the features: name and value, in the order of the definitions.
[[nodiscard]] std::vector<std::pair<std::string, double>> features_of(const grid& map);

}  // namespace mlmq::astar
