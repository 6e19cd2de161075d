// SPDX-License-Identifier: Apache-2.0
// The choices of the problems' shipped selectors.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "problems/recommendation.hpp"
#include "problems/registry.hpp"
#include "selector/shipped.hpp"
#include "tuner/parameter.hpp"
#include "tuner/workload_list.hpp"

using namespace mlmq;
using namespace mlmq::problems;
using Catch::Matchers::Contains;

namespace {

backends::device_info device_with(bool grid, bool modelled) {
  backends::device_info device;
  device.grid = grid;
  device.modelled = modelled;
  return device;
}

const backends::device_info gpu = device_with(true, false);

/// Returns the label for a workload, which must be a configuration of the problem.
std::string chosen_label(const std::string& problem, const std::string& workload, const backends::device_info& device) {
  const problem_entry& entry = find_problem(problem);
  const auto instance = entry.make();
  const auto input = tuner::list_workloads(instance->workloads(), std::array{workload}).front();
  const auto loaded = instance->workloads().load(input);
  const auto recommended = recommend(entry, facts_of(loaded->record, loaded.get()), device);
  const bool has_model = device.grid && !device.modelled;
  for (const recommended_configuration& next : recommended) {
    CHECK(next.predicted.has_value() == (next.origin == candidate_origin::model));
    CHECK_FALSE(next.reason.empty());
  }
  CHECK((recommended.front().origin == candidate_origin::model) == has_model);
  CHECK(recommended.back().origin == candidate_origin::standard);
  return recommended.front().configuration.label();
}

/// Returns the label with every parameter.
std::string complete(const std::string& problem, const std::string& label) {
  return tuner::parameter_set::from_declarations(make_problem(problem)->declarations()).parse_label(label).label();
}

/// Ranks one queue.
class one_queue final : public selector::ranking_model {
 public:
  [[nodiscard]] std::span<const std::string_view> features() const override { return names_; }

 private:
  [[nodiscard]] std::vector<selector::predicted_label> ranked(std::span<const double> /*values*/) const override {
    return {{.label = "l2=heap"}};
  }

  std::array<std::string_view, 2> names_ = {"nnz", "max_nnz"};
};

/// Returns what is recommended first for a graph of which only this is known.
recommended_configuration first_for(double edges, double longest_row, const model_choice& choice) {
  recommender recommends(find_problem("sssp"), gpu, choice);
  workload_facts facts{.name = "a graph"};
  for (const std::string_view name : recommends.features())
    facts.features.emplace(name, std::numeric_limits<double>::quiet_NaN());
  facts.features.insert_or_assign("nnz", edges);
  facts.features.insert_or_assign("max_nnz", longest_row);
  return recommends.recommend(facts).front();
}

}  // namespace

TEST_CASE("shortest paths: the shipped selector ranks competitors and near_pull too, and a given one decides alone") {
  const model_choice shipped{.origin = model_choice::source::shipped};
  for (const double longest_row : {8.0, 30'000.0}) {
    CHECK(first_for(8e6, longest_row, shipped).origin == candidate_origin::model);
    const model_choice user_model{.origin = model_choice::source::given, .model = std::make_shared<one_queue>()};
    CHECK_THAT(first_for(8e6, longest_row, user_model).configuration.label(), Contains("l2=heap"));
  }
  const std::vector<std::string> candidates = selector::shipped_ranking_model("sssp")->candidates();
  for (const char* const solver : {"solver=near_pull", "solver=bellman_ford", "l2=vector", "l1=near_far", "l1=slf"}) {
    CAPTURE(solver);
    CHECK(std::ranges::any_of(candidates,
                              [&](const std::string& label) { return label.find(solver) != std::string::npos; }));
  }
}

TEST_CASE("simulations: one block for few events in a window, a calendar for each entity for many") {
  CHECK_THAT(chosen_label("phold", "phold:entities=1024:events=128:rate=1e-05", gpu), Contains("solver=one_block"));
  CHECK_THAT(chosen_label("phold", "phold:entities=32768:events=128:rate=0.1", gpu), Contains("solver=calendar"));
}

TEST_CASE("path finding: jump points in open maps") {
  CHECK_THAT(chosen_label("astar", "grid512:density=0.005:eta=0.1:corners=none", gpu), Contains("algorithm=jump"));
  CHECK_THAT(chosen_label("astar", "grid64:density=0.2", gpu), Contains("solver=warp"));
}

TEST_CASE("selectors of measured times say nothing of other devices") {
  const backends::device_info simulated = device_with(true, true);
  const backends::device_info processors = device_with(false, false);
  CHECK(chosen_label("phold", "phold:entities=64:events=4", simulated) == complete("phold", ""));
  CHECK(chosen_label("astar", "grid16", simulated) == complete("astar", ""));
  CHECK(chosen_label("phold", "phold:entities=64:events=4", processors) == complete("phold", "solver=cpu_calendar"));
  CHECK(chosen_label("astar", "grid16", processors) == complete("astar", "solver=cpu_jps"));
}
