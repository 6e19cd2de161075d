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
#include <set>
#include <string>
#include <vector>

#include "backends/registry.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/duration.hpp"
#include "cli/file_roles.hpp"
#include "cli/interruption.hpp"
#include "cli/output_file.hpp"
#include "cli/print_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/result_options.hpp"
#include "cli/selector_options.hpp"
#include "cli/shipped_files.hpp"
#include "cli/sweep_options.hpp"
#include "cli/tune_document.hpp"
#include "cli/tune_measurement.hpp"
#include "cli/tune_summary.hpp"
#include "cli/tuned_selector.hpp"
#include "cli/usage.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/registry.hpp"
#include "selector/export_header.hpp"
#include "selector/installed.hpp"

namespace mlmq::cli {
namespace {

namespace fs = std::filesystem;

/// Default time for measurements.
constexpr double standard_budget_s = 600;

struct tune_options {
  sweep_run_options sweep;
  std::string folder = "out/tune";
  std::size_t sample = 24;
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

/// Earlier trials of this or another device.
struct known_record {
  std::optional<selector::training_data> data;
  bool same_device = false;
};

/// Returns the path of the shipped database of a problem; the file may be missing.
fs::path shipped_record(const std::string& problem) {
  return shipped_folder() / "experiments" / "recorded" / ((problem == "sssp" ? "results" : problem) + ".sqlite.gz");
}

known_record record_for(const std::string& requested, const selector::training_data& own_data,
                        const backends::device_info& device) {
  if (requested == "none") return {};
  const fs::path file = requested.empty() ? shipped_record(own_data.source.problem) : fs::path(requested);
  std::error_code failure;
  if (requested.empty() && !fs::exists(file, failure)) return {};
  const auto load = [&](const std::string& name) {
    return selector::load_training_data({file.string()}, own_data.source.problem,
                                        problems::features_of_problem(own_data.source.problem),
                                        {.device = name, .processors = ""}, {{}}, selector::grouping::workload);
  };
  known_record result;
  try {
    result.data = load(own_data.source.device_name);
    result.same_device = result.data->source.device_name == own_data.source.device_name;
  } catch (const input_error&) {
    // Use the record of another GPU if there is none of this one. Modelled times and processors say nothing about a
    // GPU.
    if (!device.grid || device.modelled) {
      if (!requested.empty()) throw;
      return {};
    }
    result.data = load("");
  }
  if (result.data->source.times != own_data.source.times) {
    if (!requested.empty())
      throw input_error(fmt::format("--record {}: its times are {}, and those of {} {}", requested,
                                    result.data->source.times, own_data.source.device_name, own_data.source.times));
    return {};
  }
  group_by_workload(*result.data);
  return result;
}

/// Counts own graphs with a variant on record: the same name, possibly with other weights.
std::size_t also_recorded(const complete_record& own_record, const known_record& record) {
  if (!record.data) return 0;
  std::set<std::string_view> groups;
  for (const selector::workload_example& workload : record.data->set.workloads) groups.insert(workload.group);
  return static_cast<std::size_t>(
      std::count_if(own_record.means.workloads.begin(), own_record.means.workloads.end(),
                    [&](const selector::workload_example& workload) { return groups.contains(workload.group); }));
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

std::string content_of(const std::optional<fs::path>& file) {
  std::error_code failure;
  return file && fs::exists(*file, failure) ? read_file(*file) : std::string();
}

/// Installs the selector if it is better. Holds the lock of the folder and checks that the installed selector is still
/// the one that was compared.
installation install(const tuned_selector& tuned, const fs::path& folder, const std::string& seen) {
  const selector::selector_lock lock(folder);
  const std::string& device = tuned.file.about.device;
  if (content_of(selector::installed_file(device, tuned.file.about.problem)) != seen)
    return {.outcome = install_outcome::overtaken};
  if (tuned.outcome != verdict::fresh) return {.outcome = install_outcome::kept};
  installation done{.outcome = install_outcome::installed, .file = selector::install_selector(tuned.file, folder)};
  const auto used = selector::installed_file(device, tuned.file.about.problem);
  done.is_used = used && *used == done.file;
  return done;
}

int tune(tune_options& options) {
  const fs::path folder = options.folder;
  const std::vector<std::string> search_devices = backends::list_search_devices("auto");
  if (options.sweep.device == "auto") options.sweep.device = fmt::format("{}", fmt::join(search_devices, ","));
  options.sweep.leave_out_negative = options.negative_weights == "leave-out";
  if (!options.sweep.leave_out_negative) options.sweep.negative_weights = options.negative_weights;
  if (options.sweep.space.empty()) options.sweep.space = standard_space(options.sweep.device).string();
  const fs::path target = options.output.empty() ? target_folder(options.system) : fs::path();
  if (!options.output.empty()) check_replaceable_output(options.output);
  std::error_code ignored;  // make_output_folder() reports errors
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), ignored);
  make_output_folder(folder);
  for (const char* const name : {selector::tuned_file_name, "model.json", "model.hpp", "summary.txt"})
    check_replaceable_output(folder / name);
  const descriptor lock = lock_folder(folder);
  if (!options.results.as_json()) {
    options.sweep.on_planned = [seconds = options.sweep.seconds] {
      print_text(
          "measuring for up to {}; finishing the last trials, and learning from the results, take additional time: "
          "usually less than two minutes, more with hundreds of graphs\n",
          duration_text(seconds));
      std::fflush(stdout);
    };
  }

  tune_measurement measured({.folder = folder,
                             .sweep = options.sweep,
                             .sample = options.sample,
                             .tolerance = options.candidates.tolerance,
                             .silent = options.results.as_json()});
  if (!measured.run()) return exit_failed;  // the sweep has printed how to resume
  exit_on_interruption("stopped while learning; the same command continues\n", options.results.as_json());
  const selector::training_data& data = measured.data();
  const std::string seen = content_of(selector::installed_file(data.source.device_name, data.source.problem));
  const complete_record own_record = complete_part(data, measured.needed());
  if (own_record.means.workloads.empty()) throw work_error(std::string(nothing_complete));
  const known_record record = record_for(options.record, data, measured.device());
  const tuned_selector tuned =
      make_tuned_selector(own_record, data, record.data ? &*record.data : nullptr, record.same_device,
                          measured.baselines(), [&](const std::string& label) { return measured.fits(label); },
                          {.tolerance = options.candidates.tolerance, .most = options.candidates.most});
  write_file_atomically(folder / selector::tuned_file_name, selector::tuned_file_to_text(tuned.file));
  selector::save_model(tuned.file.chooser, folder / "model.json");
  selector::export_header(tuned.file.chooser, folder / "model.hpp", "mlmq_selector", selector::runtime_from::embedded);
  installation done;
  if (options.output.empty()) {
    done = install(tuned, target, seen);
  } else {
    write_output(options.output, selector::tuned_file_to_text(tuned.file));
    done = {.outcome = install_outcome::written, .file = options.output};
  }
  const std::string& tuned_device = measured.device().selector;
  const bool is_default = std::find(search_devices.begin(), search_devices.end(), tuned_device) != search_devices.end();
  const bool is_solvable = problems::find_problem(data.source.problem).recommendation != nullptr;
  const std::string solve_command = is_default ? "'mlmq solve'" : fmt::format("'mlmq solve --device {}'", tuned_device);
  const bool is_about_graphs = measured.workload_kind().name() == problems::graph_kind().name();
  const measured_amounts amounts{.user = is_solvable ? solve_command : "'mlmq sweep' with a warm start",
                                 .noun = is_about_graphs ? "graph" : "workload",
                                 .unfit = measured.unfit(),
                                 .sampled = measured.sampled(),
                                 .graphs = measured.graphs(),
                                 .also_recorded = also_recorded(own_record, record),
                                 .left_out = measured.left_out(),
                                 .out_of_time = measured.out_of_time(),
                                 .same_device = record.same_device};
  const std::string text = summary_text(tuned, data.source, amounts, done);
  write_file_atomically(folder / "summary.txt", text);
  if (options.results.as_json()) {
    print_document(tune_document(tuned, data.source, amounts, done, folder));
  } else {
    print_text("\n{}", text);
  }
  std::fflush(stdout);  // print the summary before an error
  measured.require_record();
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
  add_duration_option(*command, "--budget", options->sweep.seconds, {.stored_unit = "s", .plain_unit = "min"},
                      "time to measure; the selector learns from the results so far, and the same command resumes");
  command
      ->add_option("--negative-weights", options->negative_weights,
                   "leave-out: skip graph files that have some; absolute: take their absolute values; refuse: "
                   "measure nothing")
      ->check(one_of({"leave-out", "absolute", "refuse"}))
      ->capture_default_str();
  add_sweep_device_options(*command, options->sweep, "what 'mlmq solve' uses: all GPUs, else the processors");
  command->add_option("--space", options->sweep.space,
                      "experiment file with what to try [on GPUs experiments/candidates.yaml, from which the shipped "
                      "selector chooses; on processors quickstart_cpu.yaml; on the simulator quickstart_simt.yaml]");
  command
      ->add_option("--sample", options->sample,
                   "number of configurations around the best ones to try next, as far as the time allows; 0: none")
      ->check(whole_number(0, 128))
      ->capture_default_str();
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
  reads_files(*command, {"graphs", "--space"});
  reads_files(*command, {"--record"}, {"none"});
  writes_files(*command, {"--folder"},
               {"results.sqlite", selector::tuned_file_name, "model.json", "model.hpp", "summary.txt", "lock"});
  writes_files(*command, {"--output"});
  command->callback([options, &status] { status = tune(*options); });
}

}  // namespace mlmq::cli
