// SPDX-License-Identifier: Apache-2.0
// One command from graphs to a selector for the device that it ran on.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "backends/registry.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/output_file.hpp"
#include "cli/recorded_problem.hpp"
#include "cli/selector_options.hpp"
#include "cli/shipped_files.hpp"
#include "cli/short_label.hpp"
#include "cli/sweep_run.hpp"
#include "cli/tuned_selector.hpp"
#include "cli/usage.hpp"
#include "db/store.hpp"
#include "selector/export_header.hpp"

namespace mlmq::cli {
namespace {

struct tune_options {
  std::vector<std::string> graphs;
  std::string space;
  std::string device = "auto";
  std::string output = "out/tune";
  double budget_min = 10;
  unsigned workers = 0;
  candidate_options candidates;
  learning_options learning;
};

/// The configurations worth measuring on such a device, as they come with the program.
std::filesystem::path standard_space(const std::string& devices) {
  const backends::device_traits traits = backends::traits_of(backends::list_devices(devices).front());
  const char* const name = traits.modelled ? "quickstart-simt.yaml"
                           : traits.grid   ? "candidates.yaml"
                                           : "candidates-cpu.yaml";
  return shipped_folder() / "experiments" / name;
}

void print_ways(const tuned_selector& tuned) {
  if (tuned.ways.empty()) {
    fmt::print("There are too few graphs to judge a selector: the model is the configuration that was best on them.\n");
    return;
  }
  fmt::print("\n{:<26}{:>18}{:>20}{:>8}\n", "on graphs not learned from", "mean of best/time", "within 0.9 of best",
             "worst");
  for (const way_to_choose& way : tuned.ways) {
    fmt::print("{:<26}{:>18.3f}{:>18.0f} %{:>8.3f}\n", way.name, way.mean_relative, 100 * way.near_best, way.worst);
  }
}

void print_use(const tuned_selector& tuned, const std::filesystem::path& model, const std::filesystem::path& header,
               const std::string& device) {
  fmt::print("\nThe model is the {}{}.\n", tuned.chosen,
             tuned.chosen == best_fixed_way_name ? ": " + short_label(tuned.best_fixed) : "");
  fmt::print("{}\n{}\n\n", model.string(), header.string());
  if (tuned.shipped_is_better) {
    fmt::print("The selector that comes with the program is better on these graphs: use it, without --model.\n");
    return;
  }
  fmt::print("On {}, use it with\n  mlmq solve GRAPH --model {}\n", device, model.string());
  fmt::print("in C++ with  options.model = mlmq::model::read(\"{}\");\n", model.string());
}

int tune(const tune_options& options) {
  const std::filesystem::path folder = options.output;
  const selector::learning learned = options.learning.only_learning();
  const std::filesystem::path space =
      options.space.empty() ? standard_space(options.device) : std::filesystem::path(options.space);
  std::error_code ignored;  // what is wrong with it is said by the next line
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path(), ignored);
  make_output_folder(folder);
  const std::filesystem::path model_file = folder / "model.json";
  const std::filesystem::path header_file = folder / "model.hpp";
  check_replaceable_output(model_file);
  check_replaceable_output(header_file);
  sweep_run_options sweep;
  sweep.space = space.string();
  sweep.database = (folder / "results.sqlite").string();
  sweep.workloads = options.graphs;
  sweep.device = options.device;
  sweep.workers = options.workers;
  sweep.seconds = 60 * options.budget_min;
  const sweep_run run = run_sweep(sweep);
  std::fflush(stdout);
  if (run.interrupted) return exit_failed;  // the sweep has said how to go on
  const bool one_kind = std::all_of(run.devices.begin(), run.devices.end(), [&](const db::device_record& device) {
    return device.name == run.devices.front().name;
  });
  if (!one_kind) throw input_error("--device: these are devices of several kinds; tune for one at a time");
  if (run.done == 0) throw work_error(std::string(nothing_complete));
  if (run.done == run.failed) {
    throw work_error(fmt::format("all {} finished trials failed; see the summary", run.done));
  }
  db::trial_filter scope;
  scope.experiment = db::store::open(sweep.database, db::open_mode::read_only).find_experiment(run.experiment).id;
  const selector::training_data data =
      selector::load_training_data({sweep.database}, run.problem, features_of_problem(run.problem),
                                   {.device = run.devices.front().name}, {scope}, selector::grouping::workload);
  const tuned_selector tuned =
      make_tuned_selector(data, learned, options.candidates.tolerance, options.candidates.most);
  selector::save_model(tuned.model, model_file);
  selector::export_header(tuned.model, header_file, "mlmq_selector", selector::runtime_from::embedded);
  fmt::print("\nLearned from {} graphs, {} times of {}\n", tuned.graphs, data.source.times, data.source.device_name);
  if (run.done < run.total) {
    fmt::print(
        "The budget ended after {} of {} trials: {} graphs were not measured whole and are left out; the same "
        "command goes on\n",
        run.done, run.total, run.workloads.size() > tuned.graphs ? run.workloads.size() - tuned.graphs : 0);
  }
  print_ways(tuned);
  print_use(tuned, model_file, header_file, data.source.device_name);
  return exit_ok;
}

}  // namespace

void add_tune_command(CLI::App& app, int& status) {
  CLI::App* const command = app.add_subcommand(
      "tune",
      "Make a selector for this device and these graphs: measure, train, judge, export; goes on where it stopped");
  const auto options = std::make_shared<tune_options>();
  command->add_option("graphs", options->graphs,
                      "files, patterns, folders, lists of workloads (.yaml), or what to generate [those of the "
                      "experiment file]");
  command
      ->add_option("--budget", options->budget_min,
                   "minutes to measure; what was measured by then is learned from, and the same command goes on")
      ->check(positive_number())
      ->capture_default_str();
  command
      ->add_option(
          "--device", options->device,
          "auto (all GPUs, else the simulator), cuda:N, cuda:all, a list such as cuda:0,cuda:1; simt, simt:SxW, "
          "cpu or cpu:N")
      ->capture_default_str();
  command->add_option("--space", options->space,
                      "experiment file with what to try [on GPUs experiments/candidates.yaml, from which the shipped "
                      "selector chooses; on processors candidates-cpu.yaml; on the simulator quickstart-simt.yaml]");
  command->add_option("--output", options->output, "folder for results.sqlite, model.json and model.hpp")
      ->capture_default_str();
  command->add_option("--workers", options->workers, "processes that simulate side by side [1]")
      ->check(whole_number(1, 1024));
  options->candidates.add_to(*command);
  options->learning.add_to(*command, std::string(selector::to_string(standard_method)));
  command->callback([options, &status] { status = tune(*options); });
}

}  // namespace mlmq::cli
