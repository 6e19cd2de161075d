// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/told_features.hpp"

#include <algorithm>

#include "graph/feature_list.hpp"

namespace mlmq::problems {
namespace {

bool is_sampled(std::string_view feature) {
  const auto definitions = graph::feature_definitions();
  const auto found = std::find_if(definitions.begin(), definitions.end(),
                                  [&](const graph::feature_definition& one) { return one.name == feature; });
  return found != definitions.end() && found->cost == graph::feature_cost::sampling;
}

class features_of_graphs final : public tuner::workload_features {
 public:
  features_of_graphs() {
    std::vector<std::string_view> all;
    for (const graph::feature_definition& one : graph::feature_definitions()) {
      definitions_.push_back({one.name, one.meaning});
      all.push_back(one.name);
    }
    const auto first = [&](std::size_t count) {
      return std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
    };
    std::vector<std::string_view> standard = first(graph::pass_feature_count());
    // How deep a graph is says more than all else that a pass does not find, and can be looked for while the graph is
    // brought to the device: docs/reference/features.md.
    standard.insert(standard.end(), {"hops", "frontier"});
    lists_ = {
        {"size", "vertices, edges and average degree, known without a look at the graph", {"m", "nnz", "avg_nnz"}},
        {"table2", "MLMQ's eight", first(graph::feature_count)},
        {"pass", "what a pass over the graph gives", first(graph::pass_feature_count())},
        {"standard", "pass, hops and frontier", std::move(standard)},
        {"all", "", std::move(all)}};
  }

  [[nodiscard]] std::span<const tuner::named_meaning> definitions() const override { return definitions_; }
  [[nodiscard]] std::span<const tuner::feature_list> lists() const override { return lists_; }

  /// Of a graph whose edges are not known, everything.
  [[nodiscard]] bool is_told(std::string_view feature, const tuner::named_features& known) const override {
    const auto nnz = known.find("nnz");
    return nnz == known.end() || !(nnz->second < least_sampled_edges) || !is_sampled(feature);
  }

 private:
  std::vector<tuner::named_meaning> definitions_;
  std::vector<tuner::feature_list> lists_;
};

}  // namespace

const tuner::workload_features& graph_features() {
  static const features_of_graphs all;
  return all;
}

bool need_sampling(std::span<const std::string_view> features, double nnz) {
  return !(nnz < least_sampled_edges) && std::any_of(features.begin(), features.end(), is_sampled);
}

}  // namespace mlmq::problems
