// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/registry.hpp"
#include "base/cache_folder.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command_line.hpp"
#include "cli/file_roles.hpp"
#include "cli/graph_source.hpp"
#include "cli/interruption.hpp"
#include "cli/json_output.hpp"
#include "cli/print_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/record_options.hpp"
#include "cli/result_options.hpp"
#include "cli/sweep_run.hpp"
#include "cli/sweep_summary.hpp"
#include "cli/usage.hpp"
#include "graph/io.hpp"
#include "problems/registry.hpp"
#include "problems/strategy_guide.hpp"
#include "tuner/commands.hpp"
#include "tuner/sweep.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::cli {
namespace {

json_document outcomes_document(const std::map<db::outcome, std::size_t>& outcomes) {
  json_document result = json_document::object();
  for (const auto& [outcome, count] : outcomes) result[db::to_string(outcome)] = count;
  return result;
}

/// @param database file as named by the user
/// @param retried number of failed trials that were measured again
json_document sweep_document(tuner::sweep& swept, const tuner::sweep_summary& summary, const std::string& database,
                             std::size_t retried) {
  const tuner::sweep_progress& progress = summary.progress;
  json_document result = begin_document("sweep");
  result["experiment"] = swept.experiment().name;
  result["problem"] = swept.experiment().problem;
  result["database"] = database;
  result["trials"] = progress.total;
  result["done"] = progress.done;
  result["failed"] = count_failed(summary.outcomes);
  result["outcomes"] = outcomes_document(summary.outcomes);
  result["this_run"] = {{"done", progress.measured},
                        {"failed", count_failed(progress.outcomes)},
                        {"outcomes", outcomes_document(progress.outcomes)},
                        {"retried", retried},
                        {"finals", progress.finals},
                        {"seconds", summary.total_ms / 1000}};
  result["running_elsewhere"] = summary.running_elsewhere;
  result["other_code"] = other_code_document(summary.other_code);
  result["interrupted"] = summary.interrupted;
  result["workers_lost"] = summary.workers_lost;
  result["devices"] = json_document::array();
  const std::vector<backends::device_info>& devices = swept.devices();
  for (std::size_t i = 0; i < summary.devices.size(); ++i) {
    result["devices"].push_back({{"name", devices.at(i).name},
                                 {"selector", summary.devices[i].selector},
                                 {"modelled", devices[i].modelled},
                                 {"seconds", summary.devices[i].times.wall / 1000}});
  }
  result["notes"] = summary.notes;
  return result;
}

/// @param seconds_left  until the time limit of this run; negative: no limit
progress_state progress_of(const tuner::sweep_progress& now, bool verbose, std::span<const std::string> varied,
                           double seconds_left) {
  const bool limited_by_time = now.spent_budget >= 0;
  std::string text = fmt::format("{:.1f}/s", now.per_second());
  if (count_failed(now.outcomes) > 0) text += ", " + outcomes_text(now.outcomes);
  if (limited_by_time) text = fmt::format("{:.0f} % of the budget spent, {}", 100 * now.spent_budget, text);
  if (!now.workload.empty()) text += ", " + now.workload;
  if (now.best_value) {
    text += fmt::format(": best {} with {}", objective_text(now.criterion, *now.best_value),
                        verbose ? now.best_label : short_label(now.best_label, varied));
  }
  if (!now.waiting.empty()) text += "; waiting for " + now.waiting;
  progress_state state{.done = now.done,
                       .total = limited_by_time ? 0 : now.total,
                       .unit = "trials",
                       .details = std::move(text),
                       .share_done = now.share_done()};
  if (now.seconds_left() >= 0) state.seconds_left = now.seconds_left();
  if (seconds_left >= 0) state.seconds_left = std::min(seconds_left, state.seconds_left.value_or(seconds_left));
  return state;
}

std::vector<db::outcome> parse_retry(const std::string& outcomes) {
  if (outcomes.empty()) return {};
  try {
    return tuner::parse_failures(outcomes);
  } catch (const input_error& error) {
    throw input_error(std::string("--retry: ") + error.what());
  }
}

void print_retried(const std::string& outcomes, const tuner::retried_trials& retried) {
  print_text("--retry {}: {}\n", outcomes,
             retried.again.empty() ? "no finished trial of this sweep has such an outcome"
                                   : fmt::format("{} {} measured again ({})", count_failed(retried.again),
                                                 count_failed(retried.again) == 1 ? "trial is" : "trials are",
                                                 outcomes_text(retried.again)));
  if (retried.of_other_code > 0) {
    print_text(
        "{} trials that failed with different kernel code are not repeated: this sweep has its own trials instead\n",
        retried.of_other_code);
  }
}

}  // namespace

std::string this_program() {
  // The real path, which process lists show. It may be gone if a new version has been installed.
  std::error_code failure;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  return !failure && std::filesystem::exists(program, failure) ? program.string() : "/proc/self/exe";
}

void compile_in_processes() {
  for (const backends::device_kind& kind : backends::device_kinds()) {
    if (kind.compile_in_processes != nullptr)
      kind.compile_in_processes({this_program(), "compile-variants", kind.name});
  }
}

std::vector<std::string> sweep_worker_command() { return {this_program(), "sweep-worker"}; }

std::map<std::string, std::string> sweep_worker_environment(bool compiles) {
  if (!compiles) return {};
  const std::filesystem::path folder = cache_folder();
  if (folder.empty()) return {};
  return {{"MLMQ_CACHE", std::filesystem::absolute(folder).string()}};
}

namespace {

/// Shows progress, and ends the sweep on Ctrl-C or at the time limit.
class progress_observer final : public tuner::sweep_observer {
 public:
  progress_observer(const sweep_run_options& options, std::chrono::steady_clock::time_point begin)
      : options_(options), begin_(begin), line_(options.quiet) {}

  void planning(const std::string& step) override {
    if (line_.due()) line_.show(step);
  }
  void planned(const tuner::sweep_plan& plan, const tuner::retried_trials& retried) override {
    exit_on_interruption(nullptr);
    line_.end();
    if (options_.tell_notes) print_notes(plan.notes);
    noted_ = plan.notes.size();
    if (!options_.retry.empty() && !options_.quiet && options_.report == sweep_report::summary) {
      print_retried(options_.retry, retried);
    }
    again = count_failed(retried.again);
    left_out = plan.left_out;
    if (!left_out.empty() && options_.tell_notes) {
      print_note("{}", on_one_line(left_out_text(left_out)));
    }
    unfit = plan.unfit;
    if (!unfit.empty() && options_.tell_notes) {
      print_note("{} cannot run on this device and {} left out; the first: {}",
                 unfit.size() == 1 ? "1 configuration" : fmt::format("{} configurations", unfit.size()),
                 unfit.size() == 1 ? "is" : "are", unfit.front().reason);
    }
    if (options_.on_planned) options_.on_planned();
  }
  void finished(const tuner::sweep_plan& plan) override {
    line_.end();
    if (options_.tell_notes) print_notes({plan.notes.begin() + static_cast<std::ptrdiff_t>(noted_), plan.notes.end()});
    for (const tuner::planned_workload& workload : plan.workloads) hashes.push_back(workload.hash);
  }
  void progressed(const tuner::sweep_progress& now) override {
    if (!line_.due()) return;
    const double seconds_left = options_.seconds > 0 ? std::max(0.0, options_.seconds - elapsed_seconds()) : -1;
    line_.show(progress_of(now, options_.verbose, varied, seconds_left));
  }
  bool wants_stop() override { return interrupted() || (options_.seconds > 0 && elapsed_seconds() > options_.seconds); }

  void end() { line_.end(); }

  std::vector<std::string> hashes;  ///< of the workloads
  std::size_t again = 0;            ///< failed trials that are measured again
  std::vector<std::string> varied;  ///< parameters
  std::vector<tuner::left_out_workload> left_out;
  std::vector<tuner::unfit_configuration> unfit;

 private:
  [[nodiscard]] double elapsed_seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  const sweep_run_options& options_;
  std::chrono::steady_clock::time_point begin_;
  std::size_t noted_ = 0;  // notes of the plan that have been printed
  progress_line line_;
};

}  // namespace

tuner::sweep_outcome run_sweep(const sweep_run_options& options) {
  const auto begin = std::chrono::steady_clock::now();
  // Ctrl-C ends the sweep after the running trials. During planning it ends the program at once: the recorded part of
  // the plan is consistent, and the next run plans the rest.
  exit_on_interruption("stopped while planning; rerun this command to continue\n",
                       options.report == sweep_report::document || options.report == sweep_report::none);
  note_interruptions();
  const auto division =
      options.shard_by == "workloads" ? tuner::shard::division::workloads : tuner::shard::division::trials;
  tuner::sweep_request request{.experiment = options.space,
                               .workloads = options.workloads,
                               .database = options.database,
                               .file_options = {},
                               .leave_out = {},
                               .refuse = {},
                               .cache = options.cache,
                               .leave_out_unfit = options.leave_out_unfit,
                               .device = options.device,
                               .workers = options.workers,
                               .part = tuner::parse_shard(options.shard, division),
                               .retry = parse_retry(options.retry),
                               .most_trials = options.limit,
                               .grace_s = options.grace,
                               .worker_command = sweep_worker_command(),
                               .worker_environment = {},
                               .make_problem = problems::problem_of,
                               .check_guide = problems::check_warm_start,
                               .make_guide = problems::search_guide_for};
  if (!options.negative_weights.empty()) request.file_options = {{"negative_weights", options.negative_weights}};
  const auto is_negative = [](const input_error& error) {
    return dynamic_cast<const graph::negative_weights_error*>(&error) != nullptr;
  };
  if (options.leave_out_negative) request.leave_out = is_negative;
  if (options.negative_weights == "refuse") request.refuse = is_negative;
  const tuner::shard part = request.part;
  tuner::sweep sweep(request);
  if (options.dry_run) {
    // The devices may be those of other machines, so only their names are checked.
    for (const std::string& selector : split(options.device, ',')) {
      if (selector != "auto" && !selector.ends_with(":all")) static_cast<void>(backends::list_devices(selector));
    }
    print_plan(sweep, part);
  }
  sweep.require_allowed();
  if (options.dry_run) return {};
  const std::vector<backends::device_info>& devices = sweep.devices();
  sweep.set_worker_environment(sweep_worker_environment(
      std::any_of(devices.begin(), devices.end(), [](const backends::device_info& device) { return device.grid; })));

  progress_observer observer(options, begin);
  observer.varied = tuner::varied_parameters(sweep.experiment().space);
  const tuner::sweep_summary summary = sweep.run(observer);
  observer.end();
  if (options.report == sweep_report::document) {
    print_document(sweep_document(sweep, summary, options.database, observer.again));
  } else if (options.report == sweep_report::line) {
    print_text("{} of {} trials done, {} in this run ({})\n", summary.progress.done, summary.progress.total,
               summary.progress.measured, outcomes_text(summary.outcomes));
    for (const std::string& note : summary.notes) print_text("{}\n", on_one_line(note));
    if (summary.interrupted) print_text("stopped; rerun this command to continue\n");
  } else if (options.report == sweep_report::summary && !options.quiet) {
    print_summary(summary, devices, options.database);
  }
  tuner::sweep_outcome result;
  result.interrupted = summary.interrupted && interrupted();
  result.out_of_time = summary.interrupted && !result.interrupted;
  result.elsewhere = summary.running_elsewhere;
  result.done = summary.progress.done;
  result.failed = count_failed(summary.outcomes);
  result.experiment = sweep.experiment().name;
  result.workloads = std::move(observer.hashes);
  result.left_out = std::move(observer.left_out);
  result.unfit = std::move(observer.unfit);
  for (const backends::device_info& device : devices) result.devices.push_back(tuner::describe_device(device));
  return result;
}

void add_no_commands_option(CLI::App& command) {
  command.add_flag_callback(
      "--no-commands", [] { ::setenv(tuner::refuse_commands_variable, "1", 1); },
      "refuse experiment files with a command as reference (docs/guide/tune-your-kernel.md)");
}

void add_sweep_device_options(CLI::App& command, sweep_run_options& options, const std::string& automatic) {
  command
      .add_option("--device", options.device,
                  fmt::format("auto ({}), cuda:N, cuda:all, a list such as cuda:0,cuda:1; simt, simt:SxW, cpu or cpu:N",
                              automatic))
      ->type_name("DEVICE")
      ->capture_default_str();
  add_no_commands_option(command);
  command.add_option("--workers", options.workers, "number of simulator processes [1]")->check(whole_number(1, 1024));
  add_duration_option(
      command, "--grace", options.grace, {.stored_unit = "s"},
      "kill and replace a worker that is silent, or overdue in a step, for this long (see docs/internals/sweeps.md)");
  takes_no_files(command, {"--device"});
}

}  // namespace mlmq::cli
