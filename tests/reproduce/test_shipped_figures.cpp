// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "problems/registry.hpp"
#include "reproduce/catalogue.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/search_space.hpp"
#include "tuner/workload_list.hpp"

using namespace mlmq;
using namespace mlmq::reproduce;

namespace {

namespace fs = std::filesystem;

const fs::path sources = MLMQ_TEST_SOURCES;

}  // namespace

TEST_CASE("every figure of MLMQ's evaluation is in the catalogue") {
  std::set<std::string> names;
  for (const figure& one : load_catalogue(sources / "experiments" / "figures")) names.insert(one.name);
  for (const char* const part :
       {"fig3", "fig4", "fig8", "fig9", "fig10", "fig11", "fig12", "fig13", "fig14", "table4"}) {
    CHECK(names.count(std::string("mlmq/") + part) == 1);
  }
}

TEST_CASE("every figure and table of the third paper with results that can be measured is in the catalogue") {
  std::set<std::string> names;
  for (const figure& one : load_catalogue(sources / "experiments" / "figures")) names.insert(one.name);
  for (const char* const part : {"fig6", "fig7", "fig8", "fig9", "fig12", "table1", "table3"}) {
    CHECK(names.count(std::string("pq/") + part) == 1);
  }
}

TEST_CASE("what a shipped figure refers to is there and can be swept") {
  for (const figure& one : load_catalogue(sources / "experiments" / "figures")) {
    INFO(one.name);
    CHECK(fs::is_regular_file(sources / "plots" / one.plot));
    for (const figure_sweep& sweep : one.sweeps) {
      INFO(sweep.file);
      const tuner::experiment_file experiment = tuner::load_experiment(sweep.file);
      CHECK(experiment.problem == one.problem);
      CHECK(experiment.name == sweep.file.stem());
      const auto problem = problems::make_problem(experiment.problem);
      CHECK(tuner::search_space(experiment.space, problem->declarations(), problem->presets()).count() > 0);
      CHECK_FALSE(tuner::list_workloads(experiment, *problem, {}).empty());
      CHECK_FALSE(tuner::list_workloads(experiment, *problem, one.quick).empty());
    }
    CHECK(std::any_of(one.sweeps.begin(), one.sweeps.end(), [](const figure_sweep& s) { return !s.on_processors; }));
    for (const std::string& name : one.quick) {
      CHECK((name.find_first_of("./") == std::string::npos || fs::path(name).extension() == ".yaml"));
    }
  }
}

TEST_CASE("no number of a paper is given twice for one device") {
  for (const figure& one : load_catalogue(sources / "experiments" / "figures")) {
    std::set<std::pair<std::string, std::string>> seen;
    for (const paper_number& number : one.paper) {
      INFO(one.name << ": " << number.measure << " on " << number.where);
      CHECK(seen.emplace(number.measure, number.where).second);
    }
  }
}
