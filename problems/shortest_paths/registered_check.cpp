// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/registered_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "problems/shortest_paths/schedule_check.hpp"

namespace mlmq::problems {
namespace {

std::vector<std::string> setting(const check_request& asked, const std::string& name) {
  const auto found = asked.settings.find(name);
  return found == asked.settings.end() ? std::vector<std::string>() : found->second;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

schedule_check_options options_of(const check_request& asked) {
  schedule_check_options options;
  options.schedules = asked.schedules;
  options.seed = asked.seed;
  options.jobs = asked.jobs;
  options.kernels = asked.kernels;
  options.graphs = setting(asked, "graphs");
  for (queue_pair& pair : all_queue_pairs()) {
    if (has(asked.subjects, name_of(pair))) options.queues.push_back(std::move(pair));
  }
  for (const search_kind kind : {search_kind::sssp, search_kind::bfs}) {
    if (has(setting(asked, "problem"), name_of(kind))) options.problems.push_back(kind);
  }
  for (const graph::weight_type type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    if (has(setting(asked, "weights"), graph::name_of(type))) options.weights.push_back(type);
  }
  return options;
}

/// One line; the message comes last because only it may be long.
std::string failure_text(const schedule_failure& failure) {
  const schedule_case& at = failure.at;
  return fmt::format(
      "check failed: {}, graph {}, {} weights, {}, seed {} (mlmq check --only {} --graphs {} --problem {} "
      "--weights {} --seed {} --schedules 1): {}; from vertex {} with {}",
      at.queues.solver == "mlmq" ? fmt::format("l1 {}, l2 {}", at.queues.l1, at.queues.l2) : at.queues.solver, at.graph,
      graph::name_of(at.weights), name_of(at.problem), at.seed, name_of(at.queues), at.graph, name_of(at.problem),
      graph::name_of(at.weights), at.seed, failure.message, failure.source, failure.configuration);
}

}  // namespace

std::vector<std::string> queue_pair_names() {
  std::vector<std::string> names;
  for (const queue_pair& pair : all_queue_pairs()) names.push_back(name_of(pair));
  return names;
}

check_report check_queue_pairs(const check_request& asked, const check_observer& progress) {
  const schedule_check_report found =
      check_schedules(options_of(asked), [&progress](const schedule_check_progress& now) {
        if (progress) progress({.compiling = now.compiling, .done = now.done, .total = now.total});
      });
  check_report report{.rows = {},
                      .variants = found.variants,
                      .compile_seconds = found.compile_seconds,
                      .run_seconds = found.run_seconds};
  for (const queue_pair_result& one : found.results) {
    report.rows.push_back({.subject = name_of(one.queues),
                           .schedules = one.schedules,
                           .failures = one.failures,
                           .operations = one.operations,
                           .seconds = one.seconds});
  }
  if (found.failure) report.failure = failure_text(*found.failure);
  return report;
}

}  // namespace mlmq::problems
