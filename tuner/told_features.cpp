// SPDX-License-Identifier: Apache-2.0
#include "tuner/told_features.hpp"

#include <limits>

#include "graph/feature_list.hpp"

namespace mlmq::tuner {

std::vector<double> told_features(const db::graph_record& graph, std::span<const std::string_view> names) {
  std::vector<double> values;
  for (const std::string_view& name : names) {
    values.push_back(graph::is_told_to_selectors(name, graph.edges) ? graph.features_named({&name, 1}).front()
                                                                    : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

}  // namespace mlmq::tuner
