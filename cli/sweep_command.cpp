// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/result_options.hpp"
#include "cli/sweep_options.hpp"
#include "cli/sweep_run.hpp"
#include "cli/usage.hpp"
#include "problems/registry.hpp"
#include "tuner/supervisor.hpp"

namespace mlmq::cli {

void add_sweep_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("sweep", "Measure every configuration of a search space on every workload; resumes by itself");
  const auto options = std::make_shared<sweep_run_options>();
  command->add_option("space", options->space, "experiment file (see docs/reference/experiment-files.md)")->required();
  command->add_option("--db", options->database, "database, created when missing")->capture_default_str();
  command->add_option("--workloads", options->workloads,
                      "instead of the experiment's: files, patterns, folders, lists of workloads (.yaml), or what to "
                      "generate");
  command
      ->add_option("--negative-weights", options->negative_weights,
                   "absolute: take the absolute values of negative weights in graph files; refuse: measure nothing; an "
                   "entry that says otherwise is an error [as the entry of each file says, or else refuse]")
      ->check(one_of({"absolute", "refuse"}));
  command
      ->add_option("--shard", options->shard,
                   "only part I of N of the trials, as I/N: the same parts on every machine; see db merge")
      ->capture_default_str();
  command
      ->add_option("--shard-by", options->shard_by,
                   "what a shard is a part of: trials; or workloads, so that it reads no others")
      ->check(one_of({"trials", "workloads"}))
      ->capture_default_str();
  CLI::Option* const retry = command->add_option(
      "--retry", options->retry,
      "measure finished trials of this sweep again that ended with these outcomes, separated by commas: compile_error, "
      "launch_error, timeout, wrong_answer, overflow, crashed, constraint; failed: all of these");
  command
      ->add_option("--limit", options->limit,
                   "most trials that are planned for one kind of device; a larger sweep is refused before it starts")
      ->check(whole_number(1, 1'000'000'000'000))
      ->capture_default_str();
  CLI::Option* const quiet =
      command->add_flag("--quiet", options->quiet, "print no progress and no summary, only errors and notes");
  CLI::Option* const verbose = command->add_flag(
      "--verbose", options->verbose, "show configurations in full, not only what differs from the defaults");
  command->add_flag("--dry-run", options->dry_run, "say how much there is to measure, and measure nothing")
      ->excludes(retry)
      ->excludes(quiet)
      ->excludes(verbose);
  add_sweep_device_options(*command, *options, "all GPUs, else the simulator");
  const auto results = std::make_shared<result_options>();
  results->add_format(*command);
  reads_files(*command, {"space", "--workloads"});
  writes_files(*command, {"--db"});
  takes_no_files(*command, {"--shard", "--retry"});
  command->callback([options, results, &status] {
    if (results->as_json()) {
      if (options->dry_run) throw input_error("--dry-run prints a table; leave --format json out");
      options->report = sweep_report::document;
    }
    const sweep_run run = run_sweep(*options);
    status = run.interrupted ? exit_failed : exit_ok;
    if (run.done == 0 || run.failed < run.done) return;
    std::fflush(stdout);  // print the summary before the error
    throw work_error(
        fmt::format("{}: all {} finished trials of the experiment failed; see the summary", options->space, run.done));
  });
}

void add_sweep_worker_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("sweep-worker", "Started by mlmq sweep, one for each device");
  command->group("");  // hidden: started by sweeps only
  command->callback([&status] { status = tuner::serve_supervisor(problems::make_problem); });
}

}  // namespace mlmq::cli
