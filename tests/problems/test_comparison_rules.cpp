// SPDX-License-Identifier: Apache-2.0
// The rules that searches provide to 'mlmq compare'.
#include <catch2/catch.hpp>
#include <set>

#include "base/error.hpp"
#include "graph/feature_list.hpp"
#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "selector/ranking_model.hpp"
#include "tuner/parameter.hpp"

using namespace mlmq;

namespace {

tuner::configuration solver(const std::string& name) {
  tuner::configuration chosen;
  chosen.set("solver", name);
  return chosen;
}

const tuner::comparison_rules& rules_of(const std::string& problem) {
  return problems::find_problem(problem).comparison;
}

/// Returns every feature of a graph with 2^20 vertices. Features of weights have the given value, others are 2 unless
/// set here.
db::workload_record large_graph(double of_weights) {
  db::workload_record record;
  record.name = "large";
  for (const graph::feature_definition& definition : graph::feature_definitions()) {
    double value = 2;
    if (definition.name == "m") value = 1 << 20;
    if (definition.name == "nnz") value = 1 << 21;
    if (definition.name.find("weight") != std::string_view::npos) value = of_weights;
    record.features.emplace_back(definition.name, value);
  }
  return record;
}

/// Returns the labels of the model's candidates on a GPU, best first.
std::vector<std::string> ranked(const std::string& problem, const db::workload_record& workload) {
  const backends::device_info gpu;
  std::vector<std::string> labels;
  for (const auto& next : problems::recommend(problems::find_problem(problem), problems::facts_of(workload), gpu)) {
    if (next.origin == problems::candidate_origin::model) labels.push_back(next.configuration.label());
  }
  return labels;
}

}  // namespace

TEST_CASE("solvers run on the devices that they are for") {
  backends::device_traits gpu;
  backends::device_traits processors;
  processors.grid = false;
  for (const std::string problem : {"sssp", "bfs"}) {
    const auto runs_on = rules_of(problem).runs_on;
    CHECK(runs_on({}, gpu));
    CHECK_FALSE(runs_on({}, processors));
    CHECK(runs_on(solver("near_far"), gpu));
    CHECK(runs_on(solver("dijkstra"), processors));
    CHECK_FALSE(runs_on(solver("dijkstra"), gpu));
    CHECK(runs_on(solver("bfs"), processors) == (problem == "bfs"));  // unit weights only
  }
}

TEST_CASE("the shipped selector ranks all its configurations, and needs features that are on record") {
  for (const std::string problem : {"sssp", "bfs"}) {
    const auto parameters = tuner::parameter_set::from_declarations(problems::make_problem(problem)->declarations());
    const std::vector<std::string> labels = ranked(problem, large_graph(50));
    CHECK(std::set(labels.begin(), labels.end()).size() ==
          selector::shipped_ranking_model("sssp")->candidates().size());
    for (const std::string& label : labels) CHECK_NOTHROW(parameters.parse_label(label));
    CHECK_THROWS_AS(ranked(problem, {}), input_error);
  }
  // Breadth-first search ignores weights.
  CHECK(ranked("sssp", large_graph(50)) != ranked("sssp", large_graph(1)));
  CHECK(ranked("bfs", large_graph(50)) == ranked("bfs", large_graph(1)));
}
