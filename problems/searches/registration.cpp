// SPDX-License-Identifier: Apache-2.0
// Registers the problems of searches: from one vertex, and from many vertices of a graph.
#include "problems/checks.hpp"
#include "problems/multi_source/batch.hpp"
#include "problems/multi_source/schedule_check.hpp"
#include "problems/registry.hpp"
#include "problems/searches/paper_rules.hpp"
#include "problems/searches/plan.hpp"
#include "problems/shortest_paths/checks/registered_check.hpp"
#include "problems/shortest_paths/search.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::problems {
namespace {

template <search_kind kind>
std::unique_ptr<tuner::problem> make_single() {
  return std::make_unique<search>(kind);
}

template <search_kind kind>
std::unique_ptr<tuner::problem> make_many() {
  return std::make_unique<multi_source::search_problem>(kind);
}

/// Solvers are competitors of the multi-level queue, and some run on processors.
template <search_kind kind>
bool runs_single(const tuner::configuration& configuration, const backends::device_traits& device) {
  const solver_traits& solver = solver_named(solver_of(configuration));
  return solver.on_grid == device.grid && (kind == search_kind::bfs || !solver.only_levels);
}

bool runs_many(const tuner::configuration& configuration, const backends::device_traits& device) {
  return multi_source::solver_named(multi_source::solver_of(configuration)).on_grid == device.grid;
}

template <search_kind kind>
problem_entry entry_of_single(const char* name, const char* description) {
  return {.name = name,
          .description = description,
          .make = make_single<kind>,
          .rule = &paper_rules,
          .comparison = {.competitor_parameter = "solver",
                         .runs_on = runs_single<kind>,
                         .short_list = "short_list.yaml",
                         .competitors = "competitors.yaml"},
          .recommendation = &search_plan(kind, false)};
}

template <search_kind kind>
problem_entry entry_of_many(const char* name, const char* description) {
  return {.name = name,
          .description = description,
          .make = make_many<kind>,
          .comparison = {.competitor_parameter = "solver", .runs_on = runs_many},
          .recommendation = &search_plan(kind, true)};
}

}  // namespace

extern "C" {
extern const problem_registration mlmq_registers_searches;
const problem_registration mlmq_registers_searches(
    {entry_of_single<search_kind::sssp>("sssp",
                                        "distances from one vertex of a graph to all others, by the weights of its "
                                        "edges"),
     entry_of_single<search_kind::bfs>("bfs",
                                       "levels of breadth-first search from one vertex of a graph: every edge has "
                                       "length 1"),
     entry_of_many<search_kind::sssp>("sssp_batch",
                                      "distances from many vertices of a graph to all others, many searches at a time"),
     entry_of_many<search_kind::bfs>("bfs_batch",
                                     "levels of breadth-first search from many vertices of a graph, many searches at a "
                                     "time")});
}

namespace {
const check_registration registered_checks(
    {{.name = "queues",
      .description = "every pair of queues and every competitor on adversarial graphs, against Dijkstra",
      .subjects = queue_pair_names,
      .settings = {"graphs", "problem", "weights"},
      .run = check_queue_pairs},
     {.name = "batch",
      .description = "kernels of many searches on small graphs, against Dijkstra",
      .subjects = multi_source::checked_subjects,
      .run = multi_source::run_schedule_check}});
}  // namespace

}  // namespace mlmq::problems
