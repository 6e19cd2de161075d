// SPDX-License-Identifier: Apache-2.0
#include "problems/graphs/graph_feature_kind.hpp"

#include <algorithm>
#include <limits>

#include "graph/feature_list.hpp"

namespace mlmq::problems {
namespace {

bool is_sampled(std::string_view feature) {
  const auto definitions = graph::feature_definitions();
  const auto definition = std::find_if(definitions.begin(), definitions.end(),
                                       [&](const graph::feature_definition& entry) { return entry.name == feature; });
  return definition != definitions.end() && definition->cost == graph::feature_cost::sampling;
}

class features_of_graphs final : public tuner::workload_features {
 public:
  features_of_graphs() {
    std::vector<std::string_view> names;
    for (const graph::feature_definition& definition : graph::feature_definitions()) {
      definitions_.push_back({definition.name, definition.meaning});
      names.push_back(definition.name);
    }
    const auto first = [&](std::size_t count) {
      return std::vector(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count));
    };
    std::vector<std::string_view> standard = first(graph::pass_feature_count());
    // The depth of a graph is the most informative feature that a pass does not compute. It can be sampled during the
    // upload of the graph: docs/reference/features.md.
    standard.insert(standard.end(), {"hops", "frontier"});
    lists_ = {
        {"size", "vertices, edges and average degree, known without a look at the graph", {"m", "nnz", "avg_nnz"}},
        {"table2", "MLMQ's eight", first(graph::feature_count)},
        {"pass", "features from one pass over the graph", first(graph::pass_feature_count())},
        {"standard", "pass, hops and frontier", std::move(standard)},
        {"all", "", std::move(names)}};
  }

  [[nodiscard]] std::span<const tuner::named_meaning> definitions() const override { return definitions_; }
  [[nodiscard]] std::span<const tuner::feature_list> lists() const override { return lists_; }

  /// All features if the number of edges is unknown.
  [[nodiscard]] bool is_usable(std::string_view feature, const tuner::named_features& known_features) const override {
    const auto nnz = known_features.find("nnz");
    return nnz == known_features.end() || !(nnz->second < least_sampled_edges) || !is_sampled(feature);
  }

 private:
  std::vector<tuner::named_meaning> definitions_;
  std::vector<tuner::feature_list> lists_;
};

}  // namespace

const tuner::workload_features& graph_features() {
  static const features_of_graphs features;
  return features;
}

bool need_sampling(std::span<const std::string_view> features, double nnz) {
  return !(nnz < least_sampled_edges) && std::any_of(features.begin(), features.end(), is_sampled);
}

double degree_feature(const graph::csr_graph& graph, std::string_view name) {
  if (name == "m") return static_cast<double>(graph.vertex_count());
  if (name == "nnz") return static_cast<double>(graph.edge_count());
  if (name != "max_nnz") return std::numeric_limits<double>::quiet_NaN();
  graph::edge_offset largest = 0;
  for (std::size_t v = 0; v < graph.vertex_count(); ++v) {
    largest = std::max(largest, graph.offsets()[v + 1] - graph.offsets()[v]);
  }
  return static_cast<double>(largest);
}

}  // namespace mlmq::problems
