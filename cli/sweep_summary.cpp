// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>

#include "cli/print_text.hpp"
#include "cli/progress_line.hpp"
#include "cli/usage.hpp"
#include "db/format.hpp"
#include "db/query.hpp"

namespace mlmq::cli {
namespace {

/// Quotes a word for a shell.
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

/// Prints the first failed trial, and commands to list them and to measure them again; they count as finished.
void print_failures(const tuner::sweep_summary& summary, const std::string& file) {
  std::string names;
  for (const auto& [outcome, count] : summary.outcomes) {
    if (outcome != db::outcome::ok) names += (names.empty() ? "" : ",") + std::string(db::to_string(outcome));
  }
  if (names.empty()) return;
  const std::string failures = fmt::format(
      "FROM result WHERE outcome <> 'ok' AND trial IN (SELECT trial FROM experiment_trial WHERE experiment = {})",
      summary.experiment);
  const db::table first =
      db::run_query(file, "SELECT workload, configuration, outcome, message " + failures + " ORDER BY trial LIMIT 1");
  for (const std::vector<db::cell>& row : first.rows) {
    print_text("first failure: {}, {}: {}: {}\n", row[0].text, row[1].text, row[2].text, on_one_line(row[3].text));
  }
  print_text("failed trials count as done; measure them again with --retry {}, list them with\n", names);
  print_text("  mlmq db query \"SELECT workload, query, configuration, measurement, outcome, message {}\" {}\n",
             failures, quoted(file));
}

std::string share_text(const tuner::device_times& device, bool on_processors) {
  if (device.kernels_ms <= 0) return db::shares_text(device.times);
  return db::shares_text(
      device.times, fmt::format(" ({:.1f} % in timed samples on the {})", 100 * device.kernels_ms / device.times.wall,
                                on_processors ? "processors" : "GPU"));
}

/// Returns ", plus as many that count work, measure energy", or "" if trials only have times.
std::string further_trials_text(const tuner::measurement_settings& settings) {
  std::vector<std::string> kinds;
  if (settings.counters) kinds.emplace_back("count work");
  if (settings.timeline) kinds.emplace_back("record a timeline");
  if (!settings.hardware_counters.empty()) kinds.emplace_back("count in hardware");
  if (settings.energy) kinds.emplace_back("measure energy");
  return kinds.empty() ? "" : fmt::format(", plus as many that {}", fmt::join(kinds, ", "));
}

/// Returns the rate of the sweep and the share of its time, planning included, in which devices ran.
std::string rate_text(const tuner::sweep_summary& summary) {
  const double total_ms = summary.load_ms + summary.total_ms;
  double share = 0;
  for (const tuner::device_times& device : summary.devices) {
    share += device.times.measure / total_ms / static_cast<double>(summary.devices.size());
  }
  return fmt::format("{:.0f} trials per minute; {:.1f} % of the time in runs, planning included",
                     static_cast<double>(summary.progress.measured) / (total_ms / 60e3), 100 * share);
}

}  // namespace

std::size_t count_failed(const std::map<db::outcome, std::size_t>& outcomes) {
  std::size_t failed = 0;
  for (const auto& [outcome, count] : outcomes) {
    if (outcome != db::outcome::ok) failed += count;
  }
  return failed;
}

std::string objective_text(const db::objective& criterion, double value) {
  return criterion.is_time() ? fmt::format("{:.4g} ms", value) : fmt::format("{} {:.4g}", criterion.name, value);
}

std::string outcomes_text(const std::map<db::outcome, std::size_t>& outcomes) {
  std::string text;
  for (const auto& [outcome, count] : outcomes) {
    if (outcome != db::outcome::ok)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, db::to_string(outcome));
  }
  return text.empty() ? "no failures" : "failed: " + text;
}

std::string left_out_text(const std::vector<tuner::left_out_workload>& workloads) {
  constexpr std::size_t most_named = 3;
  std::string text = workloads.size() == 1
                         ? "1 file cannot be used and is left out: "
                         : fmt::format("{} files cannot be used and are left out: ", workloads.size());
  for (std::size_t i = 0; i < std::min(workloads.size(), most_named); ++i)
    text += (i > 0 ? "; " : "") + workloads[i].reason;
  if (workloads.size() > most_named) text += fmt::format("; and {} more", workloads.size() - most_named);
  return text;
}

void print_plan(const tuner::sweep& planned, const tuner::shard& part) {
  struct group {
    std::set<std::string> families;
    std::uint64_t workloads = 0;
    std::uint64_t queries = 0;
    std::uint64_t size = 0;
  };
  std::map<std::string, group> classes;
  group total;
  for (const tuner::workload_input& workload : planned.workloads()) {
    for (group* const into : {&classes[workload.workload_class.empty() ? "files" : workload.workload_class], &total}) {
      into->families.insert(workload.family);
      into->workloads += 1;
      into->queries += planned.tuned_problem().count_queries(workload.queries);
      into->size += planned.tuned_problem().workloads().expected_size(workload);
    }
  }
  db::table rows;
  rows.columns = {"class", "families", "workloads", "queries",
                  "million " + planned.tuned_problem().workloads().size_unit()};
  const auto add = [&rows](const std::string& name, const group& counts) {
    rows.rows.push_back({db::text_cell(name), db::count_cell(counts.families.size()), db::count_cell(counts.workloads),
                         db::count_cell(counts.queries),
                         db::number_cell(std::round(static_cast<double>(counts.size) / 1e5) / 10)});
  };
  for (const auto& [name, counts] : classes) {
    if (name != "files") add(name, counts);
  }
  if (const auto files = classes.find("files"); files != classes.end()) add("files", files->second);
  add("all", total);
  print_text("{}", db::render(rows, db::table_format::aligned));
  print_text("queries are an upper bound over all workloads; the sizes of files are estimates\n");
  const tuner::experiment_file& experiment = planned.experiment();
  const tuner::plan_size& size = planned.size();
  if (!size.space.empty()) print_text("the space has {} configurations\n", size.space);
  if (experiment.strategy.learns()) {
    print_text("configurations are chosen while measuring, for each workload ({})\n", experiment.strategy.name);
    if (experiment.strategy.seconds) {
      print_text("the evaluations take {} per workload\n", duration_text(*experiment.strategy.seconds));
    }
    if (!experiment.strategy.budget) return;
  }
  // The count of a shard assumes shards of equal size, which is nearly true.
  const bool divides_trials = !part.is_whole() && part.divided_by == tuner::shard::division::trials;
  print_text("{}{}, {}{} trials on one kind of device{}\n", size.configurations_text(),
             experiment.strategy.learns() || size.depends_on_workload ? " for each workload" : "",
             size.trials >= tuner::search_space::most_counted ? ""
             : !size.exact                                    ? "up to "
             : divides_trials                                 ? "about "
                                                              : "",
             tuner::count_text(size.trials), further_trials_text(experiment.measurement));
  if (size.left_out > 0) {
    print_text("{} configuration{} skipped because of parameter limits ('mlmq problems {}')\n", size.left_out,
               size.left_out == 1 ? " is" : "s are", experiment.problem);
  }
}

void print_summary(const tuner::sweep_summary& summary, std::span<const backends::device_info> devices,
                   const std::string& file) {
  const tuner::sweep_progress& progress = summary.progress;
  const std::size_t failed = count_failed(summary.outcomes);
  const std::size_t now = count_failed(progress.outcomes);
  print_text("{} of {} trials done, {} in this run in {} ({}{})\n", progress.done, progress.total, progress.measured,
             duration_text(summary.total_ms / 1000), outcomes_text(summary.outcomes),
             failed == now ? "" : fmt::format("; {} of them in this run", now));
  const tuner::variant_cache::statistics& variants = summary.variants;
  const std::size_t compiled = variants.variants - variants.from_disk;
  const bool on_processors = !devices.front().grid;
  if (variants.variants > 0 && !on_processors) {  // variants for processors are part of the program
    print_text("{} kernel variants: {} compiled{}, {} from the disk cache\n", variants.variants, compiled,
               compiled > 0 ? fmt::format(" in {:.0f} ms each on average, {:.0f} at most",
                                          variants.compile_ms / static_cast<double>(compiled), variants.longest_ms)
                            : "",
               variants.from_disk);
  }
  if (progress.finals > 0) {
    print_text("the fastest for {} {} measured again, interleaved\n", progress.finals,
               progress.finals == 1 ? "query" : "queries");
  }
  for (std::size_t i = 0; progress.measured > 0 && i < summary.devices.size(); ++i) {
    tuner::device_times device = summary.devices[i];
    if (device.times.wall <= 0) continue;
    if (devices[i].modelled) device.kernels_ms = 0;
    print_text("wall time of {}: {}\n", device.selector, share_text(device, !devices[i].grid));
  }
  if (progress.measured > 0) print_text("{}\n", rate_text(summary));
  if (devices.front().modelled) print_text("times are modelled by the simulator, not measured\n");
  if (summary.workers_lost > 0) {
    print_text("{} worker{} died or had to be killed, and {} replaced\n", summary.workers_lost,
               summary.workers_lost == 1 ? "" : "s", summary.workers_lost == 1 ? "was" : "were");
  }
  for (const std::string& note : summary.notes) print_text("{}\n", on_one_line(note));
  if (summary.running_elsewhere > 0) {
    print_text("{} trial{} being measured by another sweep\n", summary.running_elsewhere,
               summary.running_elsewhere == 1 ? " is" : "s are");
  }
  if (const std::string hidden = db::hidden_trials_text(summary.other_code); !hidden.empty()) {
    print_text("{}; 'mlmq db status {} --code all' includes them\n", hidden, quoted(file));
  }
  if (summary.interrupted) print_text("stopped; rerun this command to continue\n");
  print_failures(summary, file);
  print_text("results in {}\n", file);
}

}  // namespace mlmq::cli
