// SPDX-License-Identifier: Apache-2.0
// The table of solvers agrees with the parameter `solver`, the kernels, and the searches on processors.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "backends/cpu/searches/search.hpp"
#include "problems/shortest_paths/parameters.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

using mlmq::problems::solver_traits;

TEST_CASE("the parameter solver has the values that the table of solvers names") {
  std::vector<std::string> names;
  for (const solver_traits& row : mlmq::problems::all_solvers()) names.emplace_back(row.name);
  const auto declarations = mlmq::problems::search_declarations();
  const auto declared = std::ranges::find(declarations, "solver", &mlmq::tuner::parameter_declaration::name);
  REQUIRE(declared != declarations.end());
  CHECK_THAT(declared->allowed, Catch::UnorderedEquals(names));
  CHECK(declared->default_value == mlmq::tuner::value(std::string(mlmq::problems::default_solver)));
}

TEST_CASE("every row of the table makes a solver, and those for processors agree with the searches there") {
  for (const solver_traits& row : mlmq::problems::all_solvers()) {
    CAPTURE(row.name);
    CHECK(row.make != nullptr);
    CHECK(row.on_grid == (std::ranges::count(mlmq::cpu::solver_names(), row.name) == 0));
    if (!row.on_grid) CHECK(row.only_levels == mlmq::cpu::needs_unit_weights(row.name));
  }
}

TEST_CASE("the kernels of the table of solvers exist") {
  for (const solver_traits& row : mlmq::problems::all_solvers()) {
    if (!row.on_grid) continue;
    for (const auto kind : {mlmq::problems::search_kind::sssp, mlmq::problems::search_kind::bfs}) {
      const std::string file = mlmq::problems::solver_file(std::string(row.name), kind);
      CAPTURE(file);
      CHECK(std::filesystem::is_regular_file(std::filesystem::path(mlmq::backends::kernel_folder()) / file));
    }
  }
}

// Recorded configurations contain the conditions' outcomes, and the page of parameters contains the conditions.
TEST_CASE("conditions name solvers in the order of the table") {
  using mlmq::problems::any_solver_with;
  using mlmq::problems::no_solver_without;
  CHECK(any_solver_with(&solver_traits::frontier_parameters) ==
        "solver == near_far or solver == bellman_ford or solver == push_pull");
  CHECK(no_solver_without(&solver_traits::row_parameters) ==
        "solver != delta_stepping and solver != dijkstra and solver != boost_dijkstra and solver != bfs and solver != "
        "partitioned and solver != near_pull");
  CHECK(mlmq::problems::solvers_with(&solver_traits::delta_rule) == std::vector<std::string>{"near_far", "adds"});
}

TEST_CASE("a solver of an unknown name is a kernel without a solver") {
  const solver_traits& row = mlmq::problems::solver_named("peer");
  CHECK(row.name.empty());
  CHECK(row.make == nullptr);
  CHECK_FALSE(mlmq::problems::is_cpu_solver("peer"));
  CHECK(mlmq::problems::solver_file("peer", mlmq::problems::search_kind::sssp) == "baselines/peer.cu");
}

TEST_CASE("a label names its solver, or the default") {
  using mlmq::problems::solver_in_label;
  CHECK(solver_in_label("parts=0,solver=partitioned,threads=256").splits_graph);
  CHECK(solver_in_label("delta=8,l1=none,l2=bucket").name == mlmq::problems::default_solver);
  CHECK(solver_in_label("solver=adds").name == "adds");
}

TEST_CASE("a solver without distances of 8 bytes names those that have them") {
  CHECK_THROWS_WITH(mlmq::problems::require_weight_type("adds", mlmq::graph::weight_type::float64),
                    "solver adds has distances of 4 bytes, but the weights are float64: choose solver=near_far or "
                    "solver=bellman_ford or solver=near_pull, or weights of 4 bytes");
}
