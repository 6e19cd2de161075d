// SPDX-License-Identifier: Apache-2.0
#include "library/graph_features.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "base/stopwatch.hpp"
#include "graph/feature_pass.hpp"
#include "graph/feature_samples.hpp"
#include "problems/shortest_paths/told_features.hpp"

namespace mlmq::detail {

graph_features::samples::samples(const graph::csr_graph& graph) {
  std::promise<graph::feature_values> promised;
  found_ = promised.get_future();
  worker_ = std::jthread([&graph, to = std::move(promised)]() mutable {
    try {
      to.set_value(graph::sampled_features(graph, graph::widest_vertex(graph)));
    } catch (...) {
      to.set_exception(std::current_exception());
    }
  });
}

bool graph_features::lacks(std::span<const std::string_view> names) const {
  return std::any_of(names.begin(), names.end(), [this](std::string_view name) { return !values_.contains(name); });
}

graph_features::samples graph_features::start_sampling(std::span<const std::string_view> wanted) const {
  if (!problems::need_sampling(wanted, edges()) || !lacks(wanted)) return {};
  return samples(graph_);
}

double graph_features::find(std::span<const std::string_view> wanted, samples sampling,
                            problems::graph_instance* on_device) {
  keep_size();
  if (!lacks(wanted)) return 0;
  double taken = 0;
  if (!has_pass_ && !wanted.empty()) taken += find_pass(on_device);
  if (lacks(wanted)) {
    graph::feature_values found;
    taken += milliseconds_of([&] { found = sampled(wanted, sampling); });
    keep(found, graph::pass_feature_count());
  }
  return taken;
}

/// Adds the features that follow from the numbers of vertices and edges, with the values that a pass would find.
void graph_features::keep_size() {
  const auto vertices = static_cast<double>(graph_.vertex_count());
  values_.try_emplace("m", vertices);
  values_.try_emplace("nnz", edges());
  values_.try_emplace("avg_nnz", vertices > 0 ? edges() / vertices : 0);
}

void graph_features::keep(const graph::feature_values& found, std::size_t first) {
  const auto definitions = graph::feature_definitions();
  // All or none: a search for which memory ran out in between must not leave some to the next one.
  tuner::named_features extended = values_;
  for (std::size_t i = 0; i < found.size(); ++i) extended[std::string(definitions[first + i].name)] = found[i];
  values_ = std::move(extended);
  has_pass_ = true;
}

/// Of a small graph zeros, which nobody is told.
graph::feature_values graph_features::sampled(std::span<const std::string_view> wanted, samples& sampling) const {
  if (sampling.are_coming()) return sampling.take();
  if (problems::need_sampling(wanted, edges())) return graph::sampled_features(graph_, widest_);
  return graph::feature_values(graph::feature_definitions().size() - graph::pass_feature_count());
}

double graph_features::find_pass(problems::graph_instance* on_device) {
  if (on_device != nullptr) {
    if (const auto found = on_device->features()) {
      widest_ = found->pass.widest;
      keep(graph::pass_features(found->pass), 0);
      return found->milliseconds;
    }
  }
  return milliseconds_of([&] {
    constexpr unsigned all_processors = 0;
    const graph::feature_pass found = graph::run_feature_pass(graph_, all_processors);
    widest_ = found.widest;
    keep(graph::pass_features(found), 0);
  });
}

}  // namespace mlmq::detail
