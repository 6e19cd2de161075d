// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "problems/registry.hpp"
#include "report/reproduce/catalogue.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/search_space.hpp"
#include "tuner/workload_list.hpp"

using namespace mlmq;
using namespace mlmq::reproduce;

namespace {

namespace fs = std::filesystem;

const fs::path sources = MLMQ_TEST_SOURCES;

}  // namespace

TEST_CASE("every figure and table of the papers with data is in the catalogue") {
  std::set<std::string> names;
  for (const figure& entry : load_catalogue(sources / "experiments" / "figures")) {
    if (!entry.name.starts_with("own/")) names.insert(entry.name);
  }
  const auto numbered = [](const std::string& part, const std::vector<int>& numbers) {
    std::vector<std::string> result;
    for (const int number : numbers) result.push_back(part + std::to_string(number));
    return result;
  };
  std::set<std::string> expected;
  for (const auto& some :
       {numbered("mlmq/fig", {3, 4, 8, 9, 10, 11, 12, 13, 14}), numbered("mlmq/table", {4}),
        numbered("adds/fig", {4, 7, 8, 9, 10, 11, 12, 13, 14, 15}), numbered("adds/table", {2, 3, 4, 5}),
        numbered("pq/fig", {5, 6, 7, 8, 9, 10, 11, 12}), numbered("pq/table", {1, 3})}) {
    expected.insert(some.begin(), some.end());
  }
  CHECK(expected.size() == 34);
  CHECK(names == expected);
}

TEST_CASE("the files that a shipped figure refers to exist and can be swept") {
  for (const figure& entry : load_catalogue(sources / "experiments" / "figures")) {
    INFO(entry.name);
    CHECK(fs::is_regular_file(sources / "plots" / entry.plot));
    for (const figure_sweep& sweep : entry.sweeps) {
      INFO(sweep.file);
      const tuner::experiment_file experiment = tuner::load_experiment(sweep.file);
      CHECK(experiment.problem == entry.problem);
      CHECK(experiment.name == sweep.file.stem());
      const auto problem = problems::problem_of(experiment);
      CHECK(tuner::search_space(experiment.space, problem->declarations(), problem->presets()).count() > 0);
      CHECK_FALSE(tuner::list_workloads(experiment, *problem, {}).empty());
      CHECK_FALSE(tuner::list_workloads(experiment, *problem, entry.quick).empty());
    }
    CHECK(std::any_of(entry.sweeps.begin(), entry.sweeps.end(),
                      [](const figure_sweep& s) { return s.place != sweep_place::processors; }));
    for (const std::string& name : entry.quick) {
      CHECK((name.find_first_of("./") == std::string::npos || fs::path(name).extension() == ".yaml"));
    }
  }
}

TEST_CASE("no number of a paper is given twice for one device") {
  for (const figure& entry : load_catalogue(sources / "experiments" / "figures")) {
    std::set<std::pair<std::string, std::string>> seen;
    for (const paper_number& number : entry.paper) {
      INFO(entry.name << ": " << number.measure << " on " << number.measured_on);
      CHECK(seen.emplace(number.measure, number.measured_on).second);
    }
  }
}
