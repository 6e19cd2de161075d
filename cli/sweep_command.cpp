// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/progress_line.hpp"
#include "problems/registry.hpp"
#include "tuner/inputs.hpp"
#include "tuner/measurement.hpp"
#include "tuner/strategy.hpp"
#include "tuner/sweep.hpp"

namespace mlmq::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

/// Ctrl-C ends the sweep after the trial at hand; a second one ends the program at once.
void end_after_this_trial(int signal) {
  interrupted = 1;
  std::signal(signal, SIG_DFL);
}

std::string outcomes_text(const std::map<db::outcome, std::size_t>& outcomes) {
  std::string text;
  for (const auto& [outcome, count] : outcomes) {
    if (outcome != db::outcome::ok)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, db::to_string(outcome));
  }
  return text.empty() ? "no failures" : "failed: " + text;
}

std::string progress_text(const tuner::sweep_progress& now) {
  std::string text = fmt::format("{}/{} trials, {:.1f}/s", now.done, now.total, now.per_second());
  if (now.seconds_left() >= 0) text += fmt::format(", {} left", duration_text(now.seconds_left()));
  text += ", " + outcomes_text(now.outcomes) + ", " + now.graph;
  if (now.best_ms > 0) text += fmt::format(": best {:.4g} ms with {}", now.best_ms, now.best_label);
  return text;
}

void print_summary(const tuner::sweep_summary& summary, const backends::device_info& device, const std::string& file) {
  const tuner::sweep_progress& progress = summary.progress;
  fmt::print("{} of {} trials done, {} in this run in {} ({})\n", progress.done, progress.total, progress.measured,
             duration_text(summary.times.total / 1000), outcomes_text(progress.outcomes));
  const tuner::variant_cache::statistics& variants = summary.variants;
  const std::size_t compiled = variants.variants - variants.from_disk;
  if (variants.variants > 0) {
    fmt::print("{} kernel variants: {} compiled{}, {} from the disk cache\n", variants.variants, compiled,
               compiled > 0 ? fmt::format(" in {:.0f} ms each on average, {:.0f} at most",
                                          variants.compile_ms / static_cast<double>(compiled), variants.longest_ms)
                            : "",
               variants.from_disk);
  }
  if (progress.measured > 0) {
    const double total = summary.times.total;
    fmt::print(
        "wall time: {:.1f} % runs, {:.1f} % checking answers, {:.1f} % waiting for compilation, {:.1f} % loading "
        "graphs\n",
        100 * summary.times.measure / total, 100 * summary.times.check / total, 100 * summary.times.compile / total,
        100 * summary.times.load / total);
    if (!device.modelled) {
      fmt::print("the timed samples alone kept the GPU busy for {:.1f} % of the wall time\n",
                 100 * summary.times.kernels / total);
    }
  }
  if (device.modelled) fmt::print("times are modelled by the simulator, not measured\n");
  if (summary.interrupted) fmt::print("stopped; the same command continues\n");
  fmt::print("results in {}\n", file);
}

struct sweep_command_options {
  std::string space;
  std::string database = "results.sqlite";
  std::vector<std::string> graphs;
  std::string device = "auto";
};

/// The process cannot use the device any more, a new one can. The trial that lost it is recorded, so this ends.
[[noreturn]] void start_again(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::fflush(nullptr);
  ::execv("/proc/self/exe", argv.data());
  throw std::runtime_error("the device is lost and the program cannot start itself again; run the command again");
}

std::unique_ptr<tuner::problem> problem_of(const tuner::experiment_file& experiment) {
  try {
    return problems::make_problem(experiment.problem);
  } catch (const input_error& error) {
    throw input_error(experiment.problem_place.prefix() + error.what());
  }
}

int sweep(const sweep_command_options& options) {
  const tuner::experiment_file experiment = tuner::load_experiment(options.space);
  const auto problem = problem_of(experiment);
  // Mistakes show before a database is made for them.
  (void)tuner::make_strategy(experiment.strategy, tuner::search_space(experiment.space, problem->declarations()));
  (void)tuner::list_inputs(experiment, options.graphs);
  const auto device = backends::open_device(options.device);
  auto store = db::store::open(options.database, db::open_mode::read_write_create);

  progress_line line;
  tuner::sweep_options settings;
  settings.graphs = options.graphs;
  settings.stop_requested = [] { return interrupted != 0; };
  settings.on_progress = [&line](const tuner::sweep_progress& now) {
    if (line.due()) line.show(progress_text(now));
  };
  std::signal(SIGINT, end_after_this_trial);
  std::signal(SIGTERM, end_after_this_trial);
  const tuner::sweep_summary summary = tuner::run_sweep(experiment, *problem, *device, store, settings);
  line.end();
  print_summary(summary, device->info(), options.database);
  return summary.interrupted ? exit_failed : exit_ok;
}

}  // namespace

void add_sweep_command(CLI::App& app, int& status) {
  CLI::App* const command =
      app.add_subcommand("sweep", "Measure every configuration of a search space on every graph; resumes by itself");
  const auto options = std::make_shared<sweep_command_options>();
  command->add_option("space", options->space, "experiment file (see docs/search-space.md)")->required();
  command->add_option("--db", options->database, "database, created when missing")->capture_default_str();
  command->add_option("--graphs", options->graphs,
                      "instead of the experiment's graphs: files, patterns, folders, or what to generate");
  command->add_option("--device", options->device, "auto, cuda:N, simt or simt:SxW")->capture_default_str();
  command->callback([options, &status] {
    try {
      status = sweep(*options);
    } catch (const tuner::device_lost& lost) {
      fmt::print(stderr, "mlmq: the device was lost ({}); continuing in a new process\n", lost.what());
      std::vector<std::string> arguments = {"mlmq",     "sweep",        options->space, "--db", options->database,
                                            "--device", options->device};
      if (!options->graphs.empty()) arguments.emplace_back("--graphs");
      arguments.insert(arguments.end(), options->graphs.begin(), options->graphs.end());
      start_again(arguments);
    }
  });
}

}  // namespace mlmq::cli
