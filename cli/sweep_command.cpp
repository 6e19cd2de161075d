// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/result_options.hpp"
#include "cli/sweep_run.hpp"
#include "cli/sweep_summary.hpp"
#include "cli/usage.hpp"
#include "problems/registry.hpp"
#include "tuner/supervisor.hpp"

namespace mlmq::cli {

namespace {

/// Writes a first experiment file for the kernel of a source.
void write_first_file(const std::filesystem::path& source, const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) throw input_error(file.string() + ": already exists; name a new file");
  for (const problems::problem_entry& problem : problems::all_problems()) {
    if (problem.first_experiment == nullptr) continue;
    write_output(file, problem.first_experiment(source, file.has_parent_path() ? file.parent_path() : "."));
    print_text("{}: check the lines marked with TODO, then run 'mlmq sweep {}'\n", file.string(), file.string());
    return;
  }
  throw input_error("--init: this program has no problem with kernels of users");
}

}  // namespace

void add_sweep_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("sweep", "Measure every configuration of a search space on every workload; rerun to resume");
  const auto options = std::make_shared<sweep_run_options>();
  command->add_option("space", options->space, "experiment file (see docs/reference/experiment-files.md)")->required();
  command->add_option("--db", options->database, "database; created if missing")->capture_default_str();
  command->add_option(
      "--workloads", options->workloads,
      "files, patterns, folders, lists of workloads (.yaml) or generator names, instead of the experiment's workloads");
  command
      ->add_option("--negative-weights", options->negative_weights,
                   "absolute: take the absolute values of negative weights in graph files; refuse: measure nothing; an "
                   "entry of the experiment file that specifies otherwise is an error [as specified by each file's "
                   "entry, or else refuse]")
      ->check(one_of({"absolute", "refuse"}));
  command
      ->add_option("--shard", options->shard,
                   "measure only part I of N of the trials, as I/N; the parts are the same on every machine; see 'mlmq "
                   "db merge'")
      ->capture_default_str();
  command
      ->add_option("--shard-by", options->shard_by,
                   "unit to divide among shards: trials; or workloads, so that a shard reads only its own")
      ->check(one_of({"trials", "workloads"}))
      ->capture_default_str();
  CLI::Option* const retry =
      command->add_option("--retry", options->retry,
                          "repeat finished trials of this sweep with these comma-separated outcomes: compile_error, "
                          "launch_error, timeout, wrong_answer, overflow, crashed, constraint; failed: all of these");
  command
      ->add_option("--limit", options->limit,
                   "maximum number of planned trials per kind of device; a larger sweep is refused before it starts")
      ->check(whole_number(1, 1'000'000'000'000))
      ->capture_default_str();
  CLI::Option* const quiet =
      command->add_flag("--quiet", options->quiet, "print no progress and no summary, only errors and notes");
  CLI::Option* const verbose =
      command->add_flag("--verbose", options->verbose, "print configurations in full, including default values");
  command->add_flag("--dry-run", options->dry_run, "show the number of trials without measuring")
      ->excludes(retry)
      ->excludes(quiet)
      ->excludes(verbose);
  add_sweep_device_options(*command, *options, "all GPUs, else the simulator");
  const auto source = std::make_shared<std::string>();
  command->add_option("--init", *source, "write the file SPACE as a first experiment for the kernel of this .cu file");
  const auto results = std::make_shared<result_options>();
  results->add_format(*command);
  reads_files(*command, {"space", "--workloads", "--init"});
  writes_files(*command, {"--db"});
  takes_no_files(*command, {"--shard", "--retry"});
  command->callback([options, results, source, &status] {
    if (!source->empty()) {
      write_first_file(*source, options->space);
      return;
    }
    if (results->as_json()) {
      if (options->dry_run) throw input_error("--dry-run prints a table and cannot be combined with --format json");
      options->report = sweep_report::document;
    }
    const tuner::sweep_outcome run = run_sweep(*options);
    if (!run.left_out.empty() && !results->as_json() && !options->quiet)
      print_text("{}\n", on_one_line(left_out_text(run.left_out)));
    status = run.interrupted ? exit_failed : exit_ok;
    if (run.done == 0 || run.failed < run.done) return;
    std::fflush(stdout);  // print the summary before the error
    throw work_error(
        fmt::format("{}: all {} finished trials of the experiment failed; see the summary", options->space, run.done));
  });
}

void add_compile_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("compile-variants", "Compiles what the process that started it sends");
  command->group("");  // hidden: started by this program only
  const auto name = std::make_shared<std::string>();
  command->add_option("kind", *name, "name of a backend")->required();
  command->callback([&status, name] {
    for (const backends::device_kind& kind : backends::device_kinds()) {
      if (kind.name == *name && kind.serve_compilations != nullptr) status = kind.serve_compilations();
    }
  });
}

void add_sweep_worker_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("sweep-worker", "Worker process of 'mlmq sweep', one per device");
  command->group("");  // hidden: started by sweeps only
  command->callback([&status] {
    compile_in_processes();
    status = tuner::serve_supervisor(problems::problem_of);
  });
}

}  // namespace mlmq::cli
