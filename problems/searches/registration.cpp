// SPDX-License-Identifier: Apache-2.0
// Registers the problems of searches: from one vertex, and from many vertices of a graph.
#include <fmt/format.h>
#include <algorithm>
#include <string>
#include <vector>

#include "problems/checks.hpp"
#include "problems/multi_source/batch.hpp"
#include "problems/multi_source/schedule_check.hpp"
#include "problems/registry.hpp"
#include "problems/searches/paper_rules.hpp"
#include "problems/searches/plan.hpp"
#include "problems/shortest_paths/checks/schedule_check.hpp"
#include "problems/shortest_paths/search.hpp"
#include "problems/shortest_paths/solvers/solver.hpp"
#include "problems/shortest_paths/solvers/solvers.hpp"

namespace mlmq::problems {
namespace {

std::vector<std::string> setting(const check_request& request, const std::string& name) {
  const auto entry = request.settings.find(name);
  return entry == request.settings.end() ? std::vector<std::string>() : entry->second;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

schedule_check_options options_of(const check_request& request) {
  schedule_check_options options;
  options.schedules = request.schedules;
  options.seed = request.seed;
  options.jobs = request.jobs;
  options.kernels = request.kernels;
  options.graphs = setting(request, "graphs");
  for (queue_pair& pair : all_queue_pairs()) {
    if (has(request.subjects, name_of(pair))) options.queues.push_back(std::move(pair));
  }
  for (const search_kind kind : {search_kind::sssp, search_kind::bfs}) {
    if (has(setting(request, "problem"), name_of(kind))) options.problems.push_back(kind);
  }
  for (const graph::weight_type type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    if (has(setting(request, "weights"), graph::name_of(type))) options.weights.push_back(type);
  }
  return options;
}

/// Formats a failure on one line. The message comes last, because only it can be long.
std::string failure_text(const schedule_failure& failure) {
  const schedule_case& failed_case = failure.test_case;
  return fmt::format(
      "check failed: {}, graph {}, {} weights, {}, seed {} (mlmq check --only {} --graphs {} --problem {} "
      "--weights {} --seed {} --schedules 1): {}; from vertex {} with {}",
      failed_case.queues.has_queues() ? fmt::format("l1 {}, l2 {}", failed_case.queues.l1, failed_case.queues.l2)
                                      : failed_case.queues.solver,
      failed_case.graph, graph::name_of(failed_case.weights), name_of(failed_case.problem), failed_case.seed,
      name_of(failed_case.queues), failed_case.graph, name_of(failed_case.problem), graph::name_of(failed_case.weights),
      failed_case.seed, failure.message, failure.source, failure.configuration);
}

std::vector<std::string> queue_pair_names() {
  std::vector<std::string> names;
  for (const queue_pair& pair : all_queue_pairs()) names.push_back(name_of(pair));
  return names;
}

check_report check_queue_pairs(const check_request& request, const check_observer& progress) {
  const schedule_check_report result =
      check_schedules(options_of(request), [&progress](const schedule_check_progress& now) {
        if (progress) progress({.compiling = now.compiling, .done = now.done, .total = now.total});
      });
  check_report report{.rows = {},
                      .variants = result.variants,
                      .compile_seconds = result.compile_seconds,
                      .run_seconds = result.run_seconds};
  for (const queue_pair_result& pair_result : result.results) {
    report.rows.push_back({.subject = name_of(pair_result.queues),
                           .schedules = pair_result.schedules,
                           .failures = pair_result.failures,
                           .operations = pair_result.operations,
                           .seconds = pair_result.seconds});
  }
  if (result.failure) report.failure = failure_text(*result.failure);
  return report;
}

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
          .rules = {&paper_rules, &program_rules},
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
