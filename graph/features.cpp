// SPDX-License-Identifier: Apache-2.0
#include "graph/features.hpp"

#include "graph/feature_list.hpp"
#include "graph/feature_pass.hpp"

namespace mlmq::graph {

std::array<double, feature_count> graph_features::as_array() const noexcept {
  return {m, nnz, avg_nnz, max_nnz, dev_nnz, avg_weight, dev_weight, max_weight};
}

const std::array<std::string, feature_count>& feature_names() {
  static const std::array<std::string, feature_count> names = [] {
    std::array<std::string, feature_count> first;
    for (std::size_t i = 0; i < feature_count; ++i) first.at(i) = feature_definitions()[i].name;
    return first;
  }();
  return names;
}

graph_features compute_features(const csr_graph& graph) { return table2_of(pass_features(run_feature_pass(graph))); }

}  // namespace mlmq::graph
