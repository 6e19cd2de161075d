// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/solvers/solvers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "problems/shortest_paths/solvers/mlmq_solver.hpp"
#include "problems/shortest_paths/solvers/partitioned_solver.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"

namespace mlmq::problems {
namespace {

constexpr std::array solver_table = {
    solver_traits{.name = default_solver,
                  .wide_distances = false,
                  .combines_queues = true,
                  .several_seeds = true,
                  .folder = "",
                  .kernel_per_problem = true,
                  .relaxation_parameters = true,
                  .relaxation_macros = true,
                  .declare = declare_mlmq,
                  .make = make_mlmq_solver,
                  .require_grid = require_mlmq_grid},
    solver_traits{.name = "near_far",
                  .relaxation_macros = true,
                  .frontier_parameters = true,
                  .delta_rule = true,
                  .declare = declare_frontier,
                  .make = [](const search_input& input) { return make_frontier_solver(input, true); }},
    solver_traits{.name = "bellman_ford",
                  .relaxation_macros = true,
                  .frontier_parameters = true,
                  .make = [](const search_input& input) { return make_frontier_solver(input, false); }},
    solver_traits{.name = "adds",
                  .wide_distances = false,
                  .relaxation_parameters = true,
                  .relaxation_macros = true,
                  .delta_rule = true,
                  .declare = declare_adds,
                  .make = make_adds_solver},
    solver_traits{.name = "delta_stepping",
                  .on_grid = false,
                  .uses_all_threads = true,
                  .several_seeds = true,
                  .row_parameters = false,
                  .declare = declare_delta_stepping,
                  .make = make_cpu_solver},
    solver_traits{
        .name = "dijkstra", .on_grid = false, .several_seeds = true, .row_parameters = false, .make = make_cpu_solver},
    solver_traits{.name = "boost_dijkstra", .on_grid = false, .row_parameters = false, .make = make_cpu_solver},
    solver_traits{.name = "bfs",
                  .on_grid = false,
                  .uses_all_threads = true,
                  .only_levels = true,
                  .reads_reverse_edges = true,
                  .row_parameters = false,
                  .declare = declare_processor_bfs,
                  .make = make_cpu_solver},
    solver_traits{.name = "push_pull",
                  .only_levels = true,
                  .reads_reverse_edges = true,
                  .folder = "push_pull/",
                  .frontier_parameters = true,
                  .piece_parameters = true,
                  .declare = declare_push_pull,
                  .make = make_push_pull_solver},
    solver_traits{.name = "partitioned",
                  .wide_distances = false,
                  .splits_graph = true,
                  .several_seeds = true,
                  .folder = "partitioned/",
                  .row_parameters = false,
                  .declare = declare_partitioned,
                  .make = make_partitioned_solver,
                  .set_graph_traits = set_part_traits,
                  .add_macros = add_part_macros},
    solver_traits{.name = "near_pull",
                  .reads_reverse_edges = true,
                  .folder = "near_pull/",
                  .row_parameters = false,
                  .piece_parameters = true,
                  .declare = declare_near_pull,
                  .make = make_near_pull_solver},
};

constexpr solver_traits unknown_solver{};

constexpr bool has_unique_names() {
  for (std::size_t i = 0; i < solver_table.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (solver_table[i].name == solver_table[j].name) return false;
    }
  }
  return true;
}
static_assert(has_unique_names());
static_assert(std::ranges::all_of(solver_table,
                                  [](const solver_traits& row) { return row.on_grid || !row.row_parameters; }),
              "only kernels have the parameters of rows");

std::string condition_of(std::string_view comparison, std::string_view junction, bool solver_traits::*property,
                         bool value) {
  std::vector<std::string> comparisons;
  for (const solver_traits& row : solver_table) {
    if (row.*property == value) comparisons.push_back(fmt::format("solver {} {}", comparison, row.name));
  }
  return fmt::format("{}", fmt::join(comparisons, junction));
}

}  // namespace

std::span<const solver_traits> all_solvers() { return solver_table; }

const solver_traits& solver_named(std::string_view name) {
  const auto row = std::ranges::find(solver_table, name, &solver_traits::name);
  return row == solver_table.end() ? unknown_solver : *row;
}

const solver_traits& solver_in_label(std::string_view label) {
  constexpr std::string_view key = "solver=";
  for (const std::string& entry : split(label, ',')) {
    if (entry.starts_with(key)) return solver_named(std::string_view(entry).substr(key.size()));
  }
  return solver_named(default_solver);
}

std::vector<std::string> solvers_with(bool solver_traits::*property) {
  std::vector<std::string> names;
  for (const solver_traits& row : solver_table) {
    if (row.*property) names.emplace_back(row.name);
  }
  return names;
}

std::string any_solver_with(bool solver_traits::*property) { return condition_of("==", " or ", property, true); }

std::string no_solver_without(bool solver_traits::*property) { return condition_of("!=", " and ", property, false); }

}  // namespace mlmq::problems
