// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "base/error.hpp"
#include "problems/registry.hpp"

using namespace mlmq;
using namespace mlmq::problems;
using Catch::Contains;

TEST_CASE("problems are found by name") {
  std::vector<std::string> names;
  for (const problem_entry& entry : all_problems()) {
    CAPTURE(entry.name);
    names.push_back(entry.name);
    CHECK(entry.make()->name() == entry.name);
    CHECK_FALSE(entry.description.empty());
    if (entry.make_defined == nullptr) CHECK_FALSE(entry.make()->counters().empty());
    // A space can be made from each declaration.
    CHECK_NOTHROW(tuner::parameter_set::from_declarations(entry.make()->declarations()));
  }
  CHECK(names == std::vector<std::string>{"astar", "bfs", "bfs_batch", "bfs_betweenness", "kernel", "phold", "sssp",
                                          "sssp_batch", "sssp_betweenness"});
}

TEST_CASE("every preset of a problem is a configuration, and no two are the same one") {
  std::size_t presets = 0;
  for (const problem_entry& entry : all_problems()) {
    const auto instance = entry.make();
    const auto parameters = tuner::parameter_set::from_declarations(instance->declarations(), instance->presets());
    std::set<tuner::configuration> seen;
    for (const tuner::preset& named : instance->presets()) {
      CAPTURE(entry.name, named.name);
      const tuner::configuration stands_for = parameters.parse_label("preset=" + std::string(named.name));
      CHECK(stands_for == parameters.parse_label(named.label));
      CHECK(parameters.short_label(stands_for) == "preset=" + std::string(named.name));
      CHECK(seen.insert(stands_for).second);
      CHECK_FALSE(named.source.empty());
      ++presets;
    }
  }
  // The queues of the third paper, of simulations and of path finding, and the pairs of MLMQ for both kinds of
  // searches.
  CHECK(presets == 14 + 2 * 20);
}

TEST_CASE("an unknown problem lists the known ones") {
  CHECK_THROWS_AS(make_problem("apsp"), input_error);
  CHECK_THROWS_WITH(make_problem("apsp"),
                    Contains("'apsp'") && Contains("bfs_betweenness, kernel, phold, sssp, sssp_batch"));
}

TEST_CASE("two problems of one name are an error that tells both files") {
  {
    const problem_registration again({{.name = "bfs", .description = "levels as well"}});
    CHECK_THROWS_AS(all_problems(), work_error);
    CHECK_THROWS_WITH(make_problem("sssp"), Contains("two problems are named 'bfs'") && Contains("registration.cpp") &&
                                                Contains("test_registry.cpp"));
  }
  CHECK(all_problems().size() == 9);
}
