// SPDX-License-Identifier: Apache-2.0
#include "report/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "report/encoding.hpp"

namespace mlmq::report {
namespace {

/// A median whose interquartile range is wider than this share of it.
constexpr double wide_spread = 0.1;

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string percent(std::size_t part, std::size_t whole) {
  return fmt::format("{:.3g} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string outcome_words(db::outcome result) {
  std::string words(db::to_string(result));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

bool ran_slowed(const db::finished_trial& trial) {
  const auto seen = nlohmann::json::parse(trial.environment_json, nullptr, false);
  const auto reasons = seen.find("throttle_reasons");
  return reasons != seen.end() && reasons->is_array() && !reasons->empty();
}

/// Counts over the trials of a table.
struct table_counts {
  std::size_t entries = 0;
  std::map<db::outcome, std::size_t> failures;
  std::size_t wide = 0;
  std::size_t slowed = 0;
  std::size_t without_samples = 0;
  std::size_t unsolved_rows = 0;
  std::set<std::string> drivers;
  std::set<std::string> compilers;
  std::map<std::size_t, std::set<std::string>> kernels;  ///< by configuration

  explicit table_counts(const result_set& set) {
    for (const table_row& row : set.rows) {
      bool solved = row.left_out > 0;
      for (const table_entry& entry : row.entries) {
        count(*entry.trial, entry.configuration);
        solved = solved || entry.trial->result == db::outcome::ok;
      }
      if (!solved) ++unsolved_rows;
    }
  }

  void count(const db::finished_trial& trial, std::size_t configuration) {
    ++entries;
    if (!trial.driver.empty()) drivers.emplace(trial.driver);
    if (!trial.compiler.empty()) compilers.emplace(trial.compiler);
    kernels[configuration].emplace(trial.kernel_source_hash);
    if (ran_slowed(trial)) ++slowed;
    if (trial.result != db::outcome::ok) {
      ++failures[trial.result];
      return;
    }
    if (trial.spread > wide_spread) ++wide;
    if (trial.samples == 0) ++without_samples;
  }

  [[nodiscard]] std::size_t failed(db::outcome result) const {
    const auto entry = failures.find(result);
    return entry == failures.end() ? 0 : entry->second;
  }
};

}  // namespace

std::string_view to_string(severity value) {
  switch (value) {
    case severity::note:
      return "note";
    case severity::warning:
      return "warning";
    case severity::error:
      break;
  }
  return "error";
}

std::vector<remark> remarks_on(const db::whole_record& record) {
  std::vector<remark> remarks;
  if (record.unfinished > 0) {
    remarks.push_back(
        {severity::warning,
         fmt::format("{} not finished: the sweep was interrupted or is still running.",
                     record.unfinished == 1 ? "1 trial is" : fmt::format("{} trials are", record.unfinished))});
  }
  if (const std::string hidden = db::hidden_trials_text(record.other_code); !hidden.empty()) {
    remarks.push_back({severity::note, hidden + "; 'mlmq report --code all' includes them."});
  }
  std::set<std::string> versions;
  for (const db::finished_trial& trial : record.trials) {
    if (!trial.program_version.empty()) versions.emplace(trial.program_version);
  }
  if (versions.size() > 1) {
    remarks.push_back({severity::note, fmt::format("The trials were run by {} versions of the program: {}.",
                                                   versions.size(), fmt::join(versions, ", "))});
  }
  return remarks;
}

std::vector<remark> remarks_on(const result_set& set) {
  std::vector<remark> remarks;
  const auto say = [&](severity level, std::string text) { remarks.push_back({level, std::move(text)}); };
  const table_counts counts(set);
  if (const std::size_t wrong = counts.failed(db::outcome::wrong_answer); wrong > 0) {
    say(severity::error,
        fmt::format("{} gave a wrong answer. The page never counts their times; find out why before you use these "
                    "configurations.",
                    counted(wrong, "trial")));
  }
  if (const std::size_t crashed = counts.failed(db::outcome::crashed); crashed > 0)
    say(severity::error, fmt::format("{} ended with a crash of the worker process.", counted(crashed, "trial")));
  if (set.device->modelled) {
    say(severity::warning,
        "All times are modelled by the simulator, not measured. They say nothing about the speed of a real GPU.");
  }
  if (const std::size_t stopped = counts.failed(db::outcome::timeout); stopped > 0) {
    say(severity::note,
        fmt::format("{} ({}) were stopped at a time limit. Their times are only known to be longer than the limit; "
                    "the charts mark them as stopped.",
                    counted(stopped, "trial"), percent(stopped, counts.entries)));
  }
  std::vector<std::string> others;
  for (const auto& [result, count] : counts.failures) {
    if (result == db::outcome::timeout || result == db::outcome::wrong_answer || result == db::outcome::crashed)
      continue;
    others.push_back(fmt::format("{} {}", count, outcome_words(result)));
  }
  if (!others.empty()) say(severity::note, fmt::format("Other trials without a time: {}.", fmt::join(others, ", ")));
  if (counts.unsolved_rows > 0) {
    say(severity::warning, fmt::format("No configuration solved {} of {}. They are left out of the averages.",
                                       counts.unsolved_rows, counted(set.rows.size(), "input")));
  }
  if (counts.wide > 0) {
    say(severity::warning,
        fmt::format("The samples of {} ({}) spread by more than {:g} % of their median.", counted(counts.wide, "trial"),
                    percent(counts.wide, counts.entries), 100 * wide_spread));
  }
  if (counts.slowed > 0) {
    say(severity::warning, fmt::format("During {} ({}) the device ran with reduced clocks; see the "
                                       "section on clocks and power.",
                                       counted(counts.slowed, "trial"), percent(counts.slowed, counts.entries)));
  }
  if (counts.drivers.size() > 1) {
    say(severity::warning,
        fmt::format("The trials ran with {} drivers: {}.", counts.drivers.size(), fmt::join(counts.drivers, ", ")));
  }
  if (counts.compilers.size() > 1) {
    say(severity::note, fmt::format("The kernels were compiled by {} compilers: {}.", counts.compilers.size(),
                                    fmt::join(counts.compilers, ", ")));
  }
  const auto mixed = static_cast<std::size_t>(std::count_if(counts.kernels.begin(), counts.kernels.end(),
                                                            [](const auto& entry) { return entry.second.size() > 1; }));
  if (mixed > 0) {
    say(severity::warning,
        fmt::format("The trials of {} ran more than one version of the kernels.", counted(mixed, "configuration")));
  }
  if (set.replaced > 0) {
    say(severity::note, fmt::format("{} are not shown, because a newer trial of the same configuration and input is.",
                                    counted(set.replaced, "older trial")));
  }
  if (set.hidden_configurations > 0) {
    say(severity::warning,
        fmt::format("The page shows {} of {} configurations: those that are fastest on some input, and the best of "
                    "the others. 'mlmq report --most-trials' changes how many.",
                    set.configurations.size(), set.configurations.size() + set.hidden_configurations));
  }
  const std::size_t ok = counts.entries - [&] {
    std::size_t failed = 0;
    for (const auto& [result, count] : counts.failures) failed += count;
    return failed;
  }();
  if (counts.without_samples > 0) {
    say(severity::note,
        fmt::format("The single samples of {} are not recorded, only median and spread: the "
                    "database is a compact record.",
                    counts.without_samples == ok ? "the trials" : counted(counts.without_samples, "trial")));
  }
  return remarks;
}

}  // namespace mlmq::report
