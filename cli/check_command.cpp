// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/progress_line.hpp"
#include "cli/usage.hpp"
#include "graph/adversarial.hpp"
#include "problems/shortest_paths/schedule_check.hpp"

namespace mlmq::cli {
namespace {

struct check_options {
  std::uint64_t schedules = problems::schedule_check_options{}.schedules;
  std::uint64_t seed = 1;
  unsigned jobs = 0;
  std::vector<std::string> graphs;
  std::string only;
  std::string problem;
  std::string weights;
};

/// The name of a weight type in this command's option and messages.
std::string name_of(graph::weight_type weights) { return weights == graph::weight_type::uint32 ? "uint32" : "float32"; }

problems::schedule_check_options check_of(const check_options& options) {
  problems::schedule_check_options check;
  check.schedules = options.schedules;
  check.seed = options.seed;
  check.jobs = options.jobs;
  check.graphs = options.graphs;
  if (!options.only.empty()) {
    const auto all = problems::all_queue_pairs();
    const auto named = std::find_if(all.begin(), all.end(), [&](const problems::queue_pair& queues) {
      return problems::name_of(queues) == options.only;
    });
    if (named != all.end()) {
      check.queues.push_back(*named);
    } else {
      const std::size_t comma = options.only.find(',');
      if (comma == std::string::npos) {
        throw input_error("--only " + options.only +
                          ": it needs an L1 and an L2 queue, as in --only vector,bucket, or a competitor, as in "
                          "--only near_far");
      }
      // Refused by the check, which knows what there is.
      check.queues.push_back({options.only.substr(0, comma), options.only.substr(comma + 1)});
    }
  }
  for (const problems::search_kind kind : {problems::search_kind::sssp, problems::search_kind::bfs}) {
    if (options.problem == problems::name_of(kind)) check.problems.push_back(kind);
  }
  for (const graph::weight_type type : {graph::weight_type::uint32, graph::weight_type::float32}) {
    if (options.weights == name_of(type)) check.weights.push_back(type);
  }
  return check;
}

std::string progress_text(const problems::schedule_check_progress& now) {
  return fmt::format("{} of {} {}", now.done, now.total, now.compiling ? "variants compiled" : "schedules run");
}

std::string operations_text(std::uint64_t operations) {
  return fmt::format("{:.1f} M", static_cast<double>(operations) * 1e-6);
}

void print_row(const problems::queue_pair_result& row) {
  const bool is_pair = row.queues.solver == "mlmq";
  fmt::print("{:<22}{:>10}{:>10}{:>10}{:>14}{:>10.1f}\n",
             is_pair ? fmt::format("{:<10}{}", row.queues.l1, row.queues.l2) : row.queues.solver, row.schedules,
             row.schedules - row.failures, row.failures, operations_text(row.operations), row.seconds);
}

void print_report(const problems::schedule_check_report& report) {
  fmt::print("{:<10}{:<12}{:>10}{:>10}{:>10}{:>14}{:>10}\n", "l1", "l2", "schedules", "ok", "failures", "operations",
             "seconds");
  problems::queue_pair_result sum{.queues = {"all", ""}};
  for (const problems::queue_pair_result& row : report.results) {
    print_row(row);
    sum.schedules += row.schedules;
    sum.failures += row.failures;
    sum.operations += row.operations;
    sum.seconds += row.seconds;
  }
  print_row(sum);
  fmt::print("{} variants in {:.1f} s, schedules in {:.1f} s\n", report.variants, report.compile_seconds,
             report.run_seconds);
}

/// One line; the message comes last because only it may be long.
std::string failure_text(const problems::schedule_failure& failure) {
  const problems::schedule_case& at = failure.at;
  return fmt::format(
      "check failed: {}, graph {}, {} weights, {}, seed {} (mlmq check --only {} --graphs {} --problem {} "
      "--weights {} --seed {} --schedules 1): {}; from vertex {} with {}",
      at.queues.solver == "mlmq" ? fmt::format("l1 {}, l2 {}", at.queues.l1, at.queues.l2) : at.queues.solver, at.graph,
      name_of(at.weights), problems::name_of(at.problem), at.seed, problems::name_of(at.queues), at.graph,
      problems::name_of(at.problem), name_of(at.weights), at.seed, failure.message, failure.source,
      failure.configuration);
}

int check(const check_options& options) {
  progress_line line;
  const problems::schedule_check_report report =
      problems::check_schedules(check_of(options), [&line](const problems::schedule_check_progress& now) {
        if (line.due()) line.show(progress_text(now));
      });
  line.end();
  print_report(report);
  if (report.failure) throw work_error(failure_text(*report.failure));
  return exit_ok;
}

}  // namespace

void add_check_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("check",
                                               "Fuzz every pair of queues and every competitor: adversarial graphs, "
                                               "many schedules on the simulator, against Dijkstra");
  const auto options = std::make_shared<check_options>();
  command->add_option("--schedules", options->schedules, "of each of them; graphs, problems and weights take turns")
      ->check(whole_number(1, 1'000'000'000))
      ->capture_default_str();
  command->add_option("--graphs", options->graphs,
                      fmt::format("of {}, {} [all but the last]", fmt::join(graph::adversarial_names(), ", "),
                                  fmt::join(graph::slow_adversarial_names(), ", ")));
  command->add_option("--only", options->only,
                      "L1,L2: one pair of queues, as in vector,bucket; or a competitor, as in near_far [all]");
  command->add_option("--problem", options->problem, "sssp or bfs [both]")->check(CLI::IsMember({"sssp", "bfs"}));
  command->add_option("--weights", options->weights, "uint32 or float32 [both]")
      ->check(CLI::IsMember({"uint32", "float32"}));
  command->add_option("--seed", options->seed, "of the first schedule; the next has the next")->capture_default_str();
  command->add_option("--jobs", options->jobs, "threads [one for each core]")->check(whole_number(1, 1024));
  command->callback([options, &status] { status = check(*options); });
}

}  // namespace mlmq::cli
