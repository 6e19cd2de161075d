// SPDX-License-Identifier: Apache-2.0
// `mlmq tune`: learns a selector for the current device from graphs.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/registry.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/file_roles.hpp"
#include "cli/interruption.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/result_options.hpp"
#include "cli/selector_options.hpp"
#include "cli/shipped_files.hpp"
#include "cli/sweep_run.hpp"
#include "cli/tune_summary.hpp"
#include "cli/usage.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/registry.hpp"
#include "problems/tune/installation.hpp"
#include "problems/tune/sweep_series.hpp"
#include "problems/tune/tuned_selector.hpp"
#include "selector/export_header.hpp"
#include "selector/installed.hpp"
#include "tuner/experiment_file.hpp"

namespace mlmq::cli {
namespace {

namespace fs = std::filesystem;

/// Default time for measurements.
constexpr double standard_budget_s = 600;
/// Number of configurations around the best ones.
constexpr std::size_t standard_sample = 24;

struct tune_options {
  sweep_run_options sweep;
  std::string folder = "out/tune";
  std::optional<std::size_t> sample;
  std::string search;
  std::string record;
  std::string output;
  std::string negative_weights = "leave-out";
  bool system = false;
  result_options results;
  candidate_options candidates;
};

/// Returns the shipped experiment file with the configurations for a kind of device.
fs::path standard_space(const std::string& devices) {
  const backends::device_traits traits = backends::traits_of(backends::list_devices(devices).front());
  const char* const name = traits.modelled ? "quickstart_simt.yaml"
                           : traits.grid   ? "candidates.yaml"
                                           : "quickstart_cpu.yaml";
  return shipped_folder() / "experiments" / name;
}

/// Returns the shipped space that is searched for each graph after `space`; empty: none.
fs::path standard_search(const std::string& devices) {
  const backends::device_traits traits = backends::traits_of(backends::list_devices(devices).front());
  return traits.grid && !traits.modelled ? shipped_folder() / "experiments" / "joint_space.yaml" : fs::path();
}

/// Locks the folder, since two commands at a time would choose different configurations. @throws input_error
descriptor lock_folder(const fs::path& folder) {
  const fs::path file = folder / "lock";
  descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!lock) throw input_error(fmt::format("--folder {}: it cannot be written to", folder.string()));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    throw input_error(fmt::format(
        "--folder {}: another 'mlmq tune' is at work there; wait for it, or name another folder", folder.string()));
  }
  return lock;
}

/// Returns the folder for installation. @throws input_error if nothing can be installed
fs::path target_folder(bool system) {
  fs::path folder = selector::selector_folder(system ? selector::install_place::system : selector::install_place::user);
  if (folder.empty()) {
    throw input_error(system
                          ? "--system: this program is not installed, so there is no folder that all users read; write "
                            "a file with --output"
                          : "no folder is known for your selectors: set HOME or MLMQ_SELECTORS, or write a file with "
                            "--output");
  }
  return folder;
}

/// Runs one sweep of the series and reports on it. @param options  those that all sweeps share
tuner::sweep_outcome run_sweep_of(const tune::sweep_settings& settings, sweep_run_options options, bool silent) {
  options.space = settings.experiment.string();
  options.database = settings.database.string();
  options.workloads = settings.workloads;
  options.leave_out_unfit = true;
  options.cache = settings.cache;
  options.tell_notes = settings.is_first;  // print notes in the first sweep only
  options.report = silent ? sweep_report::none : settings.is_first ? sweep_report::summary : sweep_report::line;
  if (!settings.is_first) options.on_planned = nullptr;
  options.seconds = settings.seconds;
  tuner::sweep_outcome outcome = run_sweep(options);
  if (outcome.interrupted && silent) print_text(stderr, "mlmq: stopped; rerun this command to continue\n");
  std::fflush(stdout);
  return outcome;
}

void print_step(const std::string& title) {
  print_text("\n{}:\n", title);
  std::fflush(stdout);
}

int run_tune(tune_options& options) {
  const fs::path folder = options.folder;
  const std::vector<std::string> search_devices = backends::list_search_devices("auto");
  if (options.sweep.device == "auto") options.sweep.device = fmt::format("{}", fmt::join(search_devices, ","));
  options.sweep.leave_out_negative = options.negative_weights == "leave-out";
  if (!options.sweep.leave_out_negative) options.sweep.negative_weights = options.negative_weights;
  const bool is_quick = options.sweep.space == "candidates";
  if (options.sweep.space.empty() && options.search.empty() && !options.sample)
    options.search = standard_search(options.sweep.device).string();
  if (options.sweep.space.empty() || is_quick) options.sweep.space = standard_space(options.sweep.device).string();
  const fs::path target = options.output.empty() ? target_folder(options.system) : fs::path();
  if (!options.output.empty()) check_replaceable_output(options.output);
  std::error_code ignored;  // make_output_folder() reports errors
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), ignored);
  make_output_folder(folder);
  for (const char* const name : {selector::tuned_file_name, "model.json", "model.hpp", "summary.txt"})
    check_replaceable_output(folder / name);
  const descriptor lock = lock_folder(folder);
  const bool silent = options.results.as_json();  // standard output is for the document
  if (!silent) {
    options.sweep.on_planned = [seconds = options.sweep.seconds] {
      print_text(
          "measuring for up to {}; finishing the last trials, and learning from the results, take additional time: "
          "usually less than two minutes, more with hundreds of graphs\n",
          duration_text(seconds));
      std::fflush(stdout);
    };
  }

  tune::series_request request{
      .folder = folder,
      .space = options.sweep.space,
      .search = options.search == "none" ? fs::path() : fs::path(options.search),
      .workloads = options.sweep.workloads,
      .device = options.sweep.device,
      .workers = options.sweep.workers,
      .seconds = options.sweep.seconds,
      .sample = options.sample.value_or(standard_sample),
      .tolerance = options.candidates.tolerance,
      .failure_hint = silent ? "'mlmq db status' says how" : "see the summary",
      .sweep = [&](const tune::sweep_settings& settings) { return run_sweep_of(settings, options.sweep, silent); },
      .on_warning = [](const std::string& warning) { print_text(stderr, "mlmq: warning: {}\n", warning); }};
  if (!silent) request.on_step = print_step;
  tune::sweep_series series(std::move(request));
  if (!series.run()) return exit_failed;  // the sweep has printed how to resume
  exit_on_interruption("stopped while learning; rerun this command to continue\n", silent);
  const tune::tuned_selector tuned = tune::learn_selector(
      series, {.database = options.record, .shipped = shipped_folder() / "experiments" / "recorded"},
      {.tolerance = options.candidates.tolerance, .most = options.candidates.most});
  const selector::time_source& source = series.data().source;
  write_file_atomically(folder / selector::tuned_file_name, selector::tuned_file_to_text(tuned.file));
  selector::save_model(tuned.file.learned_model, folder / "model.json");
  selector::export_header(tuned.file.learned_model, folder / "model.hpp");
  tune::installation done;
  if (options.output.empty()) {
    done = tune::install(tuned, target);
  } else {
    write_output(options.output, selector::tuned_file_to_text(tuned.file));
    done = {.outcome = tune::install_outcome::written, .file = options.output};
  }
  const std::string& tuned_device = series.device().selector;
  const bool is_default = std::find(search_devices.begin(), search_devices.end(), tuned_device) != search_devices.end();
  const bool is_solvable = problems::find_problem(source.problem).recommendation != nullptr;
  const std::string solve_command = is_default ? "'mlmq solve'" : fmt::format("'mlmq solve --device {}'", tuned_device);
  const bool is_about_graphs = series.workload_kind().name() == problems::graph_kind().name();
  const measured_amounts amounts{.user = is_solvable ? solve_command : "'mlmq sweep' with a warm start",
                                 .noun = is_about_graphs ? "graph" : "workload",
                                 .unfit = series.unfit(),
                                 .sampled = series.sampled(),
                                 .graphs = series.graphs(),
                                 .left_out = series.left_out(),
                                 .out_of_time = series.out_of_time(),
                                 .best = series.best(),
                                 .varied = tuner::varied_parameters(tuner::load_experiment(options.sweep.space).space)};
  const std::string text = summary_text(tuned, source, amounts, done);
  write_file_atomically(folder / "summary.txt", text);
  if (silent) {
    print_document(tune_document(tuned, source, amounts, done, folder));
  } else {
    print_text("\n{}", text);
  }
  std::fflush(stdout);  // print the summary before an error
  series.require_record();
  return exit_ok;
}

}  // namespace

void add_tune_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "tune",
      "Make a selector for this device and these graphs, and use it from then on where it is better; resumes by "
      "itself");
  const auto options = std::make_shared<tune_options>();
  command->add_option("graphs", options->sweep.workloads,
                      "files, patterns, folders, lists of workloads (.yaml), or what to generate [those of the "
                      "experiment file]");
  options->sweep.seconds = standard_budget_s;
  add_duration_option(*command, "--budget", options->sweep.seconds, {.stored_unit = "s"},
                      "time to measure; the selector learns from the results so far, and the same command resumes");
  command
      ->add_option("--negative-weights", options->negative_weights,
                   "leave-out: skip graph files that have some; absolute: take their absolute values; refuse: "
                   "measure nothing")
      ->check(one_of({"leave-out", "absolute", "refuse"}))
      ->capture_default_str();
  add_sweep_device_options(*command, options->sweep, "what 'mlmq solve' uses: all GPUs, else the processors");
  command->add_option(
      "--space", options->sweep.space,
      "experiment file with what to try on every graph [on GPUs experiments/candidates.yaml, from which "
      "the shipped selector chooses; on processors quickstart_cpu.yaml; on the simulator "
      "quickstart_simt.yaml]; candidates: that one, without a search");
  CLI::Option* const search = command->add_option(
      "--search", options->search,
      "experiment file with a strategy that learns, such as model: what to search for each graph after that; none: no "
      "search [on GPUs experiments/joint_space.yaml, all queues and their parameters; none with --space or --sample]");
  command
      ->add_option("--sample", options->sample,
                   fmt::format("without a search: number of configurations around the best ones to try next, as far as "
                               "the time allows; 0: none [{}]",
                               standard_sample))
      ->check(whole_number(0, 128))
      ->excludes(search);
  options->candidates.add_to(*command);
  command->add_option(
      "--record", options->record,
      "recorded trials of other graphs to learn from too, a database; none: only these graphs [the shipped "
      "record]");
  command
      ->add_option("--folder", options->folder,
                   "for results.sqlite, selector.json, model.json, model.hpp and summary.txt")
      ->capture_default_str();
  CLI::Option* const output =
      command->add_option("--output", options->output,
                          "write the selector to this file, to share it, and install nothing (mlmq selector install)");
  command->add_flag("--system", options->system, "install for all users of this program, not for this user only")
      ->excludes(output);
  options->results.add_format(*command);
  reads_files(*command, {"graphs"});
  reads_files(*command, {"--space"}, {"candidates"});
  reads_files(*command, {"--record", "--search"}, {"none"});
  writes_files(*command, {"--folder"},
               {"results.sqlite", selector::tuned_file_name, "model.json", "model.hpp", "summary.txt", "lock"});
  writes_files(*command, {"--output"});
  command->callback([options, &status] { status = run_tune(*options); });
}

}  // namespace mlmq::cli
