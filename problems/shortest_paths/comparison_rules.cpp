// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/comparison_rules.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/feature_list.hpp"
#include "problems/shortest_paths/cpu_solver.hpp"
#include "problems/shortest_paths/level_rule.hpp"
#include "problems/shortest_paths/solver.hpp"
#include "problems/shortest_paths/told_features.hpp"
#include "selector/shipped.hpp"
#include "selector/told_features.hpp"

namespace mlmq::problems {
namespace {

template <search_kind kind>
bool runs_on(const tuner::configuration& given, const backends::device_traits& device) {
  const std::string solver = solver_of(given);
  const bool for_processors = is_cpu_solver(solver);
  if (needs_unit_weights(solver) && kind != search_kind::bfs) return false;
  return for_processors != device.grid;
}

/// The selector is asked about the graph that is searched: for bfs, with all weights 1.
template <search_kind kind>
std::vector<std::string> selected(const db::workload_record& on) {
  const auto names = selector::shipped_features();
  const selector::named_features known(on.features.begin(), on.features.end());
  std::vector<double> features = selector::told_features(known, names, graph_features(), on.name);
  if (kind == search_kind::bfs) {
    const double degree = on.feature("nnz").value_or(0) / std::max(1.0, on.feature("m").value_or(0));
    for (std::size_t i = 0; i < features.size(); ++i) {
      features[i] = graph::unit_weight_value(names[i], degree).value_or(features[i]);
    }
  }
  std::vector<std::string> labels;
  if (kind == search_kind::bfs) {
    // As `mlmq solve` does; on processors the next ones are asked.
    if (auto levels = level_search_for(names, features)) labels.push_back(std::move(*levels));
  }
  for (const std::size_t candidate : selector::shipped_ranked(features)) {
    labels.emplace_back(selector::shipped_label(candidate));
  }
  return labels;
}

template <search_kind kind>
tuner::comparison_rules rules() {
  return {.competitor_parameter = "solver",
          .runs_on = runs_on<kind>,
          .selected = selected<kind>,
          .short_list = "good.yaml",
          .competitors = "competitors.yaml"};
}

}  // namespace

tuner::comparison_rules comparison_of(search_kind kind) {
  return kind == search_kind::bfs ? rules<search_kind::bfs>() : rules<search_kind::sssp>();
}

}  // namespace mlmq::problems
