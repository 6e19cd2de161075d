// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/graph_source.hpp"
#include "cli/print_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/usage.hpp"
#include "graph/adversarial.hpp"
#include "problems/checks.hpp"

namespace mlmq::cli {
namespace {

struct check_options {
  std::uint64_t schedules = problems::check_request{}.schedules;
  std::uint64_t seed = 1;
  unsigned jobs = 0;
  std::vector<std::string> graphs;
  std::string only;
  std::string problem;
  std::string weights;
};

/// A check with its request.
struct requested_check {
  const problems::check_entry* check;
  problems::check_request request;
};

std::map<std::string, std::vector<std::string>> settings_of(const check_options& options) {
  std::map<std::string, std::vector<std::string>> settings;
  if (!options.graphs.empty()) settings["graphs"] = options.graphs;
  if (!options.problem.empty()) settings["problem"] = {options.problem};
  if (!options.weights.empty()) settings["weights"] = {options.weights};
  return settings;
}

/// Returns the names that --only accepts, short forms first.
std::string known_subjects() {
  std::vector<std::string> names;
  for (const problems::check_entry& check : problems::all_checks()) {
    names.push_back(check.name);
    for (const std::string& subject : check.subjects()) {
      std::string name = subject.substr(0, subject.find(':'));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

/// Returns the checks with the given settings, restricted to the subjects of --only.
std::vector<requested_check> checks_of(const check_options& options) {
  const auto settings = settings_of(options);
  std::vector<requested_check> result;
  bool only_is_known = options.only.empty();
  for (const problems::check_entry& check : problems::all_checks()) {
    problems::check_request request{.subjects = {},
                                    .schedules = options.schedules,
                                    .seed = options.seed,
                                    .jobs = options.jobs,
                                    .settings = settings};
    if (!options.only.empty()) {
      request.subjects = problems::subjects_named(check, options.only);
      if (request.subjects.empty()) continue;
      only_is_known = true;
    }
    const bool has_settings = std::all_of(settings.begin(), settings.end(), [&](const auto& setting) {
      return std::find(check.settings.begin(), check.settings.end(), setting.first) != check.settings.end();
    });
    if (has_settings) result.push_back({&check, std::move(request)});
  }
  if (!only_is_known) {
    throw input_error(fmt::format("--only {}: unknown subject; known subjects: {}", options.only, known_subjects()));
  }
  if (result.empty()) {
    throw input_error(
        fmt::format("--only {}: --{} does not apply to this subject", options.only, settings.begin()->first));
  }
  return result;
}

void print_row(const problems::check_row& row, std::size_t width) {
  print_text("{:<{}}{:>10}{:>10}{:>10}{:>12.1f} M{:>10.1f}\n", row.subject, width, row.schedules,
             row.schedules - row.failures, row.failures, static_cast<double>(row.operations) * 1e-6, row.seconds);
}

void print_report(const problems::check_entry& check, const problems::check_report& report) {
  std::size_t width = check.name.size();
  for (const problems::check_row& row : report.rows) width = std::max(width, row.subject.size());
  print_text("{:<{}}{:>10}{:>10}{:>10}{:>14}{:>10}\n", check.name, width, "schedules", "ok", "failures", "operations",
             "seconds");
  problems::check_row sum{.subject = "all"};
  for (const problems::check_row& row : report.rows) {
    print_row(row, width);
    sum.schedules += row.schedules;
    sum.failures += row.failures;
    sum.operations += row.operations;
    sum.seconds += row.seconds;
  }
  print_row(sum, width);
  print_text("{} variants compiled in {:.1f} s, schedules run in {:.1f} s\n", report.variants, report.compile_seconds,
             report.run_seconds);
}

int check(const check_options& options) {
  bool is_first = true;
  for (const requested_check& requested : checks_of(options)) {
    std::optional<progress_line> line(std::in_place);
    bool was_compiling = true;
    const problems::check_report report =
        requested.check->run(requested.request, [&](const problems::check_progress& now) {
          // The time left is estimated for each of the two steps.
          if (was_compiling && !now.compiling) line.emplace();
          was_compiling = now.compiling;
          if (!line->due()) return;
          line->show({.done = now.done, .total = now.total, .unit = now.compiling ? "variants compiled" : "schedules"});
        });
    line->end();
    if (!std::exchange(is_first, false)) print_text("\n");
    print_report(*requested.check, report);
    if (report.failure) throw work_error(*report.failure);
  }
  return exit_ok;
}

}  // namespace

void add_check_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "check",
      "Fuzz kernels under many schedules of the simulator: search queues on adversarial graphs against Dijkstra, small "
      "queues against a sequential model, simulations and path finding against processors");
  const auto options = std::make_shared<check_options>();
  command
      ->add_option("--schedules", options->schedules,
                   "number of schedules per subject; graphs, problems and weights alternate")
      ->check(whole_number(1, 1'000'000'000))
      ->capture_default_str();
  command->add_option(
      "--graphs", options->graphs,
      fmt::format("graphs to search: {}, {} [all but the last]", fmt::join(graph::adversarial_names(), ", "),
                  fmt::join(graph::slow_adversarial_names(), ", ")));
  command->add_option("--only", options->only,
                      "one subject: a pair of queues, such as vector,bucket; a competitor, such as near_far; a small "
                      "queue, such as two_level; a simulation, such as phold:calendar; a path search, such as "
                      "astar:jump; or a whole check: small_queues, phold, astar, batch [all]");
  command->add_option("--problem", options->problem, "problem of the searches [both]")
      ->check(one_of(graph_problem_names()));
  command->add_option("--weights", options->weights, "weight type of the searches [both]")
      ->check(one_of({"uint32", "float32"}));
  command->add_option("--seed", options->seed, "seed of the first schedule; each further schedule adds 1")
      ->capture_default_str();
  command->add_option("--jobs", options->jobs, "number of threads [one per core]")->check(whole_number(1, 1024));
  takes_no_files(*command, {"--graphs", "--only"});
  command->callback([options, &status] { status = check(*options); });
}

}  // namespace mlmq::cli
