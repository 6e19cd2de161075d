// SPDX-License-Identifier: Apache-2.0
#include "graph/features.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/thread_team.hpp"
#include "graph/feature_list.hpp"
#include "graph/feature_pass.hpp"
#include "graph/weight_traits.hpp"

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

double smallest_weight(const csr_graph& graph) {
  return with_weight_traits(graph.weights(), [&]<class Traits>(Traits) {
    using bits = typename Traits::bits;
    constexpr std::size_t block = std::size_t{1} << 18;
    const auto weights = Traits::weights_of(graph);
    std::vector<bits> of_blocks(weights.size() / block + 1, std::numeric_limits<bits>::max());
    for_each_block(weights.size(), block, [&](std::size_t index, std::size_t first, std::size_t last) {
      // The bits of weights have the same order as the weights.
      of_blocks[index] = std::ranges::min(weights.subspan(first, last - first));
    });
    return weights.empty() ? std::numeric_limits<double>::infinity()
                           : static_cast<double>(Traits::number(std::ranges::min(of_blocks)));
  });
}

}  // namespace mlmq::graph
