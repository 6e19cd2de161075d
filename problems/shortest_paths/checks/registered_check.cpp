// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/checks/registered_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "problems/shortest_paths/checks/schedule_check.hpp"

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

}  // namespace

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

}  // namespace mlmq::problems
