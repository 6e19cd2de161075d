// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/sweep_run.hpp"
#include "cli/usage.hpp"
#include "problems/registry.hpp"
#include "tuner/supervisor.hpp"

namespace mlmq::cli {

void add_sweep_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("sweep", "Measure every configuration of a search space on every graph; resumes by itself");
  const auto options = std::make_shared<sweep_run_options>();
  command->add_option("space", options->space, "experiment file (see docs/search-space.md)")->required();
  command->add_option("--db", options->database, "database, created when missing")->capture_default_str();
  command->add_option(
      "--graphs", options->graphs,
      "instead of the experiment's graphs: files, patterns, folders, lists of graphs (.yaml), or what to "
      "generate");
  command
      ->add_option("--shard", options->shard,
                   "only part I of N of the trials, as I/N: the same parts on every machine; see db merge")
      ->capture_default_str();
  command
      ->add_option("--shard-by", options->shard_by,
                   "what a shard is a part of: trials; or graphs, so that it reads no others")
      ->check(CLI::IsMember({"trials", "graphs"}))
      ->capture_default_str();
  command
      ->add_option("--limit", options->limit,
                   "most trials that are planned for one kind of device; a larger sweep is refused before it starts")
      ->check(whole_number(1, 1'000'000'000'000))
      ->capture_default_str();
  command->add_flag("--dry-run", options->dry_run, "say how much there is to measure, and measure nothing");
  command
      ->add_option(
          "--device", options->device,
          "auto (all GPUs, else the simulator), cuda:N, cuda:all, a list such as cuda:0,cuda:1; simt, simt:SxW, "
          "cpu or cpu:N")
      ->capture_default_str();
  command->add_option("--workers", options->workers, "processes that simulate side by side [1]")
      ->check(whole_number(1, 1024));
  command
      ->add_option("--grace", options->grace,
                   "seconds after which a worker that should have ended a run and is silent is killed [10; 600 for a "
                   "simulated device]")
      ->check(positive_number());
  command->callback([options, &status] { status = run_sweep(*options).interrupted ? exit_failed : exit_ok; });
}

void add_sweep_worker_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand("sweep-worker", "Started by mlmq sweep, one for each device");
  command->group("");  // nobody calls it by hand
  command->callback([&status] { status = tuner::serve_supervisor(problems::make_problem); });
}

}  // namespace mlmq::cli
