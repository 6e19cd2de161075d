// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "problems/registry.hpp"

using namespace mlmq;
using namespace mlmq::problems;
using Catch::Contains;

TEST_CASE("problems are found by name") {
  std::vector<std::string> names;
  for (const problem_entry& one : all_problems()) {
    CAPTURE(one.name);
    names.push_back(one.name);
    CHECK(one.make()->name() == one.name);
    CHECK_FALSE(one.description.empty());
    CHECK_FALSE(one.make()->counters().empty());
    // Each declaration is one that a space can be made of.
    CHECK_NOTHROW(tuner::parameter_set::from_declarations(one.make()->declarations()));
  }
  CHECK(names == std::vector<std::string>{"astar", "bfs", "bfs_batch", "phold", "sssp", "sssp_batch"});
}

TEST_CASE("an unknown problem lists the known ones") {
  CHECK_THROWS_AS(make_problem("apsp"), input_error);
  CHECK_THROWS_WITH(make_problem("apsp"), Contains("'apsp'") && Contains("bfs, phold, sssp"));
}

TEST_CASE("two problems of one name are an error that tells both files") {
  {
    const problem_registration again({{.name = "bfs", .description = "levels as well"}});
    CHECK_THROWS_AS(all_problems(), work_error);
    CHECK_THROWS_WITH(make_problem("sssp"), Contains("two problems are named 'bfs'") && Contains("registration.cpp") &&
                                                Contains("test_registry.cpp"));
  }
  CHECK(all_problems().size() == 4);
}
