// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cache_folder.hpp"
#include "base/error.hpp"
#include "cli/command_line.hpp"
#include "cli/graph_source.hpp"
#include "cli/interruption.hpp"
#include "cli/progress_line.hpp"
#include "cli/short_label.hpp"
#include "cli/sweep_document.hpp"
#include "cli/sweep_run.hpp"
#include "cli/usage.hpp"
#include "db/format.hpp"
#include "graph/io.hpp"
#include "problems/registry.hpp"
#include "selector/strategy_guide.hpp"
#include "tuner/sweep.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::cli {

std::size_t count_failed(const std::map<db::outcome, std::size_t>& outcomes) {
  std::size_t failed = 0;
  for (const auto& [outcome, count] : outcomes) {
    if (outcome != db::outcome::ok) failed += count;
  }
  return failed;
}

namespace {

std::string outcomes_text(const std::map<db::outcome, std::size_t>& outcomes) {
  std::string text;
  for (const auto& [outcome, count] : outcomes) {
    if (outcome != db::outcome::ok)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, db::to_string(outcome));
  }
  return text.empty() ? "no failures" : "failed: " + text;
}

/// One word of a shell's command line.
std::string quoted(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./+,:=@%").find(c) != std::string::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

/// Failures are finished trials, which the same command does not measure again: how to look at them, and how to.
void print_failures(const tuner::sweep_summary& summary, const std::string& file) {
  std::string names;
  for (const auto& [outcome, count] : summary.outcomes) {
    if (outcome != db::outcome::ok) names += (names.empty() ? "" : ",") + std::string(db::to_string(outcome));
  }
  if (names.empty()) return;
  fmt::print("failed trials count as done; measure them again with --retry {}, list them with\n", names);
  fmt::print(
      "  mlmq db query --db {} \"SELECT workload, query, configuration, measurement, outcome, message FROM result "
      "WHERE "
      "outcome <> 'ok' AND trial IN (SELECT trial FROM experiment_trial WHERE experiment = {})\"\n",
      quoted(file), summary.experiment);
}

std::string progress_text(const tuner::sweep_progress& now, bool verbose) {
  std::string text = fmt::format("{}/{} trials, {:.1f}/s", now.done, now.total, now.per_second());
  if (now.seconds_left() >= 0) text += fmt::format(", {} left", duration_text(now.seconds_left()));
  text += ", " + outcomes_text(now.outcomes);
  if (!now.workload.empty()) text += ", " + now.workload;
  if (now.best_ms > 0)
    text +=
        fmt::format(": best {:.4g} ms with {}", now.best_ms, verbose ? now.best_label : short_label(now.best_label));
  if (!now.waiting.empty()) text += "; waiting for " + now.waiting;
  return text;
}

std::string share_text(const tuner::device_times& device, bool on_processors) {
  if (device.kernels_ms <= 0) return db::shares_text(device.times);
  return db::shares_text(
      device.times, fmt::format(" ({:.1f} % the timed samples alone, on the {})",
                                100 * device.kernels_ms / device.times.wall, on_processors ? "processors" : "GPU"));
}

void print_summary(const tuner::sweep_summary& summary, std::span<const backends::device_info> devices,
                   const std::string& file) {
  const tuner::sweep_progress& progress = summary.progress;
  const std::size_t failed = count_failed(summary.outcomes);
  const std::size_t now = count_failed(progress.outcomes);
  fmt::print("{} of {} trials done, {} in this run in {} ({}{})\n", progress.done, progress.total, progress.measured,
             duration_text(summary.total_ms / 1000), outcomes_text(summary.outcomes),
             failed == now ? "" : fmt::format("; {} of them in this run", now));
  const tuner::variant_cache::statistics& variants = summary.variants;
  const std::size_t compiled = variants.variants - variants.from_disk;
  const bool on_processors = !devices.front().grid;
  if (variants.variants > 0 && !on_processors) {  // there they are part of the program
    fmt::print("{} kernel variants: {} compiled{}, {} from the disk cache\n", variants.variants, compiled,
               compiled > 0 ? fmt::format(" in {:.0f} ms each on average, {:.0f} at most",
                                          variants.compile_ms / static_cast<double>(compiled), variants.longest_ms)
                            : "",
               variants.from_disk);
  }
  if (progress.finals > 0) {
    fmt::print("the fastest for {} {} measured once more, in turns\n", progress.finals,
               progress.finals == 1 ? "query" : "queries");
  }
  for (std::size_t i = 0; progress.measured > 0 && i < summary.devices.size(); ++i) {
    tuner::device_times device = summary.devices[i];
    if (device.times.wall <= 0) continue;
    if (devices[i].modelled) device.kernels_ms = 0;
    fmt::print("wall time of {}: {}\n", device.selector, share_text(device, !devices[i].grid));
  }
  if (devices.front().modelled) fmt::print("times are modelled by the simulator, not measured\n");
  if (summary.workers_lost > 0) {
    fmt::print("{} worker{} died or had to be killed, and {} replaced\n", summary.workers_lost,
               summary.workers_lost == 1 ? "" : "s", summary.workers_lost == 1 ? "was" : "were");
  }
  for (const std::string& note : summary.notes) fmt::print("{}\n", on_one_line(note));
  if (summary.running_elsewhere > 0) {
    fmt::print("{} trial{} being measured by another sweep\n", summary.running_elsewhere,
               summary.running_elsewhere == 1 ? " is" : "s are");
  }
  if (summary.interrupted) fmt::print("stopped; the same command continues\n");
  print_failures(summary, file);
  fmt::print("results in {}\n", file);
}

std::vector<db::outcome> parse_retry(const std::string& outcomes) {
  if (outcomes.empty()) return {};
  try {
    return tuner::parse_failures(outcomes);
  } catch (const input_error& error) {
    throw input_error(std::string("--retry: ") + error.what());
  }
}

void print_retried(const std::string& asked, const tuner::retried_trials& retried) {
  fmt::print("--retry {}: {}\n", asked,
             retried.again.empty() ? "no finished trial of this sweep failed like that"
                                   : fmt::format("{} {} measured again ({})", count_failed(retried.again),
                                                 count_failed(retried.again) == 1 ? "trial is" : "trials are",
                                                 outcomes_text(retried.again)));
  if (retried.of_other_code > 0) {
    fmt::print(
        "{} trials failed with other kernel code and stay as they are: this sweep has its own trials in their place\n",
        retried.of_other_code);
  }
}

/// What a sweep would measure, without loading a workload.
void print_plan(const tuner::sweep& planned, const tuner::shard& part) {
  struct group {
    std::set<std::string> families;
    std::uint64_t workloads = 0;
    std::uint64_t queries = 0;
    std::uint64_t size = 0;
  };
  std::map<std::string, group> classes;
  group total;
  for (const tuner::workload_input& one : planned.workloads()) {
    for (group* const into : {&classes[one.workload_class.empty() ? "files" : one.workload_class], &total}) {
      into->families.insert(one.family);
      into->workloads += 1;
      into->queries += planned.of().count_queries(one.queries);
      into->size += planned.of().workloads().expected_size(one);
    }
  }
  db::table rows;
  rows.columns = {"class", "families", "workloads", "queries", "million " + planned.of().workloads().size_unit()};
  const auto add = [&rows](const std::string& name, const group& of) {
    rows.rows.push_back({db::text_cell(name), db::count_cell(of.families.size()), db::count_cell(of.workloads),
                         db::count_cell(of.queries),
                         db::number_cell(std::round(static_cast<double>(of.size) / 1e5) / 10)});
  };
  for (const auto& [name, of] : classes) {
    if (name != "files") add(name, of);
  }
  if (const auto files = classes.find("files"); files != classes.end()) add("files", files->second);
  add("all", total);
  fmt::print("{}", db::render(rows, db::table_format::aligned));
  fmt::print("queries are those of all workloads, at most; the size of files is guessed\n");
  const tuner::experiment_file& experiment = planned.experiment();
  const tuner::plan_size& size = planned.size();
  if (experiment.strategy.learns()) {
    fmt::print("configurations are chosen while measuring, for each workload ({})\n", experiment.strategy.name);
    return;
  }
  // Divided trials are counted as if the parts were equal, which they nearly are.
  const bool divides_trials = !part.is_whole() && part.by == tuner::shard::division::trials;
  fmt::print("{}, {}{} trials on one kind of device{}\n", size.configurations_text(),
             !size.exact      ? "up to "
             : divides_trials ? "about "
                              : "",
             size.trials, experiment.measurement.counters ? ", and as many that count work" : "");
}

}  // namespace

std::string left_out_text(const std::vector<std::string>& files) {
  constexpr std::size_t most_named = 3;
  std::string text = fmt::format("{} negative weights and {} left out: ",
                                 files.size() == 1 ? "1 graph has" : fmt::format("{} graphs have", files.size()),
                                 files.size() == 1 ? "is" : "are");
  for (std::size_t i = 0; i < std::min(files.size(), most_named); ++i) text += (i > 0 ? ", " : "") + files[i];
  if (files.size() > most_named) text += fmt::format(" and {} more", files.size() - most_named);
  return text + "; --negative-weights absolute takes absolute values";
}

std::vector<std::string> sweep_worker_command() {
  // By name, so that the list of processes shows it; the name may be gone when a new program has been installed.
  std::error_code failure;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
  return {!failure && std::filesystem::exists(program, failure) ? program.string() : "/proc/self/exe", "sweep-worker"};
}

std::map<std::string, std::string> sweep_worker_environment(bool compiles) {
  if (!compiles) return {};
  const std::filesystem::path folder = cache_folder();
  if (folder.empty()) return {};
  return {{"MLMQ_CACHE", std::filesystem::absolute(folder).string()}};
}

namespace {

/// Shows a person what happens, and ends the sweep when they want it or the time is up.
class told_sweep final : public tuner::sweep_observer {
 public:
  told_sweep(const sweep_run_options& options, std::chrono::steady_clock::time_point begin)
      : options_(options), begin_(begin), line_(options.quiet) {}

  void planning(const std::string& what) override {
    if (line_.due()) line_.show(what);
  }
  void planned(const tuner::sweep_plan& plan, const tuner::retried_trials& retried) override {
    exit_on_interruption(nullptr);
    line_.end();
    print_notes(plan.notes);
    if (!options_.retry.empty() && !options_.quiet && options_.report == sweep_report::summary) {
      print_retried(options_.retry, retried);
    }
    again = count_failed(retried.again);
    for (const tuner::workload_input& one : plan.left_out) left_out.push_back(one.file);
    if (!left_out.empty() && options_.tell_left_out) {
      fmt::print(stderr, "mlmq: note: {}\n", on_one_line(left_out_text(left_out)));
    }
    for (const tuner::planned_workload& one : plan.workloads) hashes.push_back(one.hash);
  }
  void progressed(const tuner::sweep_progress& now) override {
    if (line_.due()) line_.show(progress_text(now, options_.verbose));
  }
  bool wants_stop() override {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
    return interrupted() || (options_.seconds > 0 && elapsed.count() > options_.seconds);
  }

  void end() { line_.end(); }

  std::vector<std::string> hashes;  ///< of the workloads
  std::size_t again = 0;            ///< failed trials that are measured again
  std::vector<std::string> left_out;

 private:
  const sweep_run_options& options_;
  std::chrono::steady_clock::time_point begin_;
  progress_line line_;
};

}  // namespace

sweep_run run_sweep(const sweep_run_options& options) {
  const auto begin = std::chrono::steady_clock::now();
  // Ends the sweep after the trial at hand. While it is planned there is nothing to wait for: what is recorded is whole,
  // and the rest is planned by the next one.
  exit_on_interruption("stopped while planning; the same command continues\n",
                       options.report == sweep_report::document || options.report == sweep_report::none);
  note_interruptions();
  const auto division =
      options.shard_by == "workloads" ? tuner::shard::division::workloads : tuner::shard::division::trials;
  tuner::sweep_request request{.experiment = options.space,
                               .workloads = options.workloads,
                               .database = options.database,
                               .file_options = {},
                               .leave_out = {},
                               .device = options.device,
                               .workers = options.workers,
                               .part = tuner::parse_shard(options.shard, division),
                               .retry = parse_retry(options.retry),
                               .most_trials = options.limit,
                               .grace_s = options.grace,
                               .worker_command = sweep_worker_command(),
                               .worker_environment = {},
                               .make_problem = problems::make_problem,
                               .check_guide = selector::check_warm_start,
                               .make_guide = selector::search_guide_for};
  if (options.absolute_weights) request.file_options = {{"negative_weights", "absolute"}};
  if (options.leave_out_negative) {
    request.leave_out = [](const input_error& error) {
      return dynamic_cast<const graph::negative_weights_error*>(&error) != nullptr;
    };
  }
  const tuner::shard part = request.part;
  tuner::sweep wanted(request);
  if (options.dry_run) print_plan(wanted, part);
  wanted.require_allowed();
  if (options.dry_run) return {};
  const std::vector<backends::device_info>& devices = wanted.devices();
  wanted.set_worker_environment(sweep_worker_environment(
      std::any_of(devices.begin(), devices.end(), [](const backends::device_info& one) { return one.grid; })));

  told_sweep observer(options, begin);
  const tuner::sweep_summary summary = wanted.run(observer);
  observer.end();
  if (options.report == sweep_report::document) {
    print_document(sweep_document(wanted, summary, options.database, observer.again));
  } else if (options.report == sweep_report::line) {
    fmt::print("{} of {} trials done, {} in this run ({})\n", summary.progress.done, summary.progress.total,
               summary.progress.measured, outcomes_text(summary.outcomes));
    for (const std::string& note : summary.notes) fmt::print("{}\n", on_one_line(note));
    if (summary.interrupted) fmt::print("stopped; the same command continues\n");
  } else if (options.report == sweep_report::summary && !options.quiet) {
    print_summary(summary, devices, options.database);
  }
  sweep_run done;
  done.interrupted = summary.interrupted && interrupted();
  done.out_of_time = summary.interrupted && !done.interrupted;
  done.elsewhere = summary.running_elsewhere;
  done.done = summary.progress.done;
  done.total = summary.progress.total;
  done.failed = count_failed(summary.outcomes);
  done.measured = summary.progress.measured;
  done.experiment = wanted.experiment().name;
  done.problem = wanted.experiment().problem;
  done.workloads = std::move(observer.hashes);
  done.left_out = std::move(observer.left_out);
  for (const backends::device_info& device : devices) done.devices.push_back(tuner::describe_device(device));
  return done;
}

}  // namespace mlmq::cli
