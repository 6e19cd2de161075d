// SPDX-License-Identifier: Apache-2.0
#include "library/graph_features.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "base/stopwatch.hpp"
#include "graph/feature_pass.hpp"
#include "graph/feature_samples.hpp"
#include "problems/graphs/graph_feature_kind.hpp"

namespace mlmq::detail {

graph_features::samples::samples(const graph::csr_graph& graph) {
  std::promise<graph::feature_values> promised;
  future_ = promised.get_future();
  worker_ = std::jthread([&graph, promise = std::move(promised)]() mutable {
    try {
      promise.set_value(graph::sampled_features(graph, graph::widest_vertex(graph)));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  });
}

bool graph_features::lacks(std::span<const std::string_view> names) const {
  return std::any_of(names.begin(), names.end(), [this](std::string_view name) { return !values_.contains(name); });
}

graph_features::samples graph_features::start_sampling(std::span<const std::string_view> names) const {
  if (!problems::need_sampling(names, edges()) || !lacks(names)) return {};
  return samples(graph_);
}

double graph_features::find(std::span<const std::string_view> names, samples sampling,
                            problems::graph_instance* on_device) {
  keep_size();
  if (!lacks(names)) return 0;
  double milliseconds = 0;
  if (!has_pass_ && !names.empty()) milliseconds += find_pass(on_device);
  if (lacks(names)) {
    graph::feature_values values;
    milliseconds += milliseconds_of([&] { values = sampled(names, sampling); });
    keep(values, graph::pass_feature_count());
  }
  return milliseconds;
}

/// Adds the features that follow from the numbers of vertices and edges, with the same values as a pass.
void graph_features::keep_size() {
  const auto vertices = static_cast<double>(graph_.vertex_count());
  values_.try_emplace("m", vertices);
  values_.try_emplace("nnz", edges());
  values_.try_emplace("avg_nnz", vertices > 0 ? edges() / vertices : 0);
}

void graph_features::keep(const graph::feature_values& values, std::size_t first) {
  const auto definitions = graph::feature_definitions();
  // Add all or none: if memory runs out, the next search must not see a partial set.
  tuner::named_features extended = values_;
  for (std::size_t i = 0; i < values.size(); ++i) extended[std::string(definitions[first + i].name)] = values[i];
  values_ = std::move(extended);
  has_pass_ = true;
}

/// Returns zeros for a small graph; they are not used.
graph::feature_values graph_features::sampled(std::span<const std::string_view> names, samples& sampling) const {
  if (sampling.are_coming()) return sampling.take();
  if (problems::need_sampling(names, edges())) return graph::sampled_features(graph_, widest_);
  return graph::feature_values(graph::feature_definitions().size() - graph::pass_feature_count());
}

double graph_features::find_pass(problems::graph_instance* on_device) {
  if (on_device != nullptr) {
    if (const auto device_features = on_device->features()) {
      widest_ = device_features->pass.widest;
      keep(graph::pass_features(device_features->pass), 0);
      return device_features->milliseconds;
    }
  }
  return milliseconds_of([&] {
    constexpr unsigned all_processors = 0;
    const graph::feature_pass pass = graph::run_feature_pass(graph_, all_processors);
    widest_ = pass.widest;
    keep(graph::pass_features(pass), 0);
  });
}

}  // namespace mlmq::detail
