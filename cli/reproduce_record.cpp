// SPDX-License-Identifier: Apache-2.0
#include "cli/reproduce_record.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

#include "backends/registry.hpp"
#include "base/text.hpp"
#include "db/query.hpp"
#include "problems/registry.hpp"
#include "report/reproduce/plotting.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"
#include "tuner/search_space.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_configurations = 1000;

/// GPU time per trial, preparation included. On an H200, 968 trials of mlmq/fig11 took 80 s, and the 1,800 and 1,820
/// trials of simulations and path finding in the shipped record took 167 and 145 s.
constexpr double seconds_per_trial = 0.1;

/// Returns the solver and the queues in a configuration's label: "l1=none l2=vector". Configurations with the same ones
/// form one series of a figure.
std::string series_of(const std::string& label) {
  std::map<std::string, std::string, std::less<>> parameters;
  for (const std::string& setting : split(label, ',')) {
    const std::size_t equals = setting.find('=');
    if (equals != std::string::npos) parameters.emplace(setting.substr(0, equals), setting.substr(equals + 1));
  }
  std::vector<std::string> series;
  for (const char* const name : {"solver", "queue", "l0", "l1", "l2"}) {
    const auto parameter = parameters.find(name);
    if (parameter == parameters.end() || (std::string_view(name) == "l0" && parameter->second == "none")) continue;
    series.push_back(parameter->first + "=" + parameter->second);
  }
  return fmt::format("{}", fmt::join(series, " "));
}

/// Returns what a trial with this measurement records, for messages.
std::string name_of_measurement(const std::string& measurement) {
  static const std::map<std::string, std::string> names{{"time", "times"},
                                                        {"counters", "work counts"},
                                                        {"timeline", "timelines"},
                                                        {"hardware", "hardware counters"},
                                                        {"energy", "energy"}};
  return names.at(measurement);
}

/// Returns the number of workloads with their queries.
std::uint64_t count_inputs(const tuner::experiment_file& experiment, const tuner::problem& problem) {
  std::uint64_t queries = 0;
  for (const tuner::workload_input& input : tuner::list_workloads(experiment, problem, {})) {
    queries += std::max<std::uint64_t>(1, problem.count_queries(input.queries));
  }
  return queries;
}

/// Returns the number of trials on each workload with each query.
std::uint64_t count_trials_of_input(const tuner::experiment_file& experiment, const tuner::problem& problem) {
  return tuner::measurements_of(experiment.measurement).size() *
         tuner::search_space(experiment.space, problem.declarations(), problem.presets()).count();
}

std::uint64_t count_trials(const fs::path& file) {
  const tuner::experiment_file experiment = tuner::load_experiment(file);
  const auto problem = problems::make_problem(experiment.problem);
  return count_inputs(experiment, *problem) * count_trials_of_input(experiment, *problem);
}

}  // namespace

figure_record::figure_record(const fs::path& database) : store_(db::store::open(database, db::open_mode::read_only)) {
  const db::table devices = db::run_query(
      store_,
      "SELECT d.hash, d.name, d.kind FROM device d WHERE EXISTS (SELECT 1 FROM latest t WHERE t.device = d.id AND "
      "t.measurement = 'time' AND t.outcome = 'ok') ORDER BY d.name, d.hash");
  for (const auto& row : devices.rows) devices_.push_back({row[0].text, row[1].text, row[2].text});
  for (const auto& row : db::run_query(store_, "SELECT DISTINCT name FROM experiment").rows) {
    experiments_.insert(row[0].text);
  }
}

std::vector<recorded_device> figure_record::devices_for(const reproduce::figure& figure) const {
  std::vector<std::string> names = figure.recorded;
  for (const reproduce::figure_sweep& sweep : figure.sweeps) names.push_back(tuner::load_experiment(sweep.file).name);
  const db::table rows = db::run_query(
      store_,
      fmt::format("SELECT DISTINCT d.hash FROM device d JOIN trial t ON t.device = d.id JOIN experiment_trial x "
                  "ON x.trial = t.id JOIN experiment e ON e.id = x.experiment WHERE t.outcome = 'ok' AND "
                  "e.name IN ('{}')",
                  fmt::join(names, "', '")));
  std::set<std::string> hashes;
  for (const auto& row : rows.rows) hashes.insert(row[0].text);
  std::vector<recorded_device> fitting;
  std::copy_if(devices_.begin(), devices_.end(), std::back_inserter(fitting),
               [&](const recorded_device& device) { return hashes.count(device.hash) > 0; });
  if (!fitting.empty()) return fitting;
  const auto first_gpu = std::find_if(devices_.begin(), devices_.end(), [](const recorded_device& device) {
    return backends::traits_of_kind(device.kind).grid;
  });
  return first_gpu == devices_.end() ? devices_ : std::vector{*first_gpu};
}

const figure_record::finished_trials& figure_record::finished(const std::string& problem,
                                                              const recorded_device& device) {
  const auto [place, is_new] = finished_.try_emplace({problem, device.hash});
  if (!is_new) return place->second;
  const db::table trials = db::run_query(
      store_, fmt::format("SELECT DISTINCT c.label, t.measurement, t.outcome = 'ok' FROM latest t JOIN configuration c "
                          "ON c.id = t.configuration JOIN device d ON d.id = t.device WHERE c.problem = '{}' AND "
                          "d.hash = '{}'",
                          problem, device.hash));
  for (const auto& row : trials.rows) {
    place->second.configurations.insert(row[0].text);
    if (row[2].text == "1") place->second.measurements.insert(row[1].text);
  }
  return place->second;
}

missing_trials figure_record::find_missing(const fs::path& sweep, const recorded_device& device) {
  const tuner::experiment_file experiment = tuner::load_experiment(sweep);
  const auto problem = problems::make_problem(experiment.problem);
  const tuner::search_space space(experiment.space, problem->declarations(), problem->presets());
  const auto& [recorded, measurements] = finished(experiment.problem, device);
  if (measurements.empty()) {
    return {.required = true,
            .description = fmt::format("no trial of problem '{}' on {}", experiment.problem, device.name)};
  }
  const std::vector<tuner::configuration> configurations = space.list(most_configurations);
  std::set<std::string> recorded_series, missing_series;
  for (const std::string& label : recorded) recorded_series.insert(series_of(label));
  std::size_t missing = 0;
  for (const tuner::configuration& configuration : configurations) {
    const std::string label = configuration.label();
    if (recorded.count(label) > 0) continue;
    ++missing;
    if (recorded_series.count(series_of(label)) == 0) missing_series.insert(series_of(label));
  }
  std::vector<std::string> lacks;
  if (missing > 0) {
    constexpr std::ptrdiff_t most_named = 3;
    const auto count = static_cast<std::ptrdiff_t>(missing_series.size());
    const auto end = std::next(missing_series.begin(), std::min(count, most_named));
    std::string text = fmt::format("{} of {} configurations", missing, configurations.size());
    if (count > 0) text += fmt::format(" (none with {}", fmt::join(missing_series.begin(), end, ", "));
    if (count > most_named) text += fmt::format(" and {} more", count - most_named);
    lacks.push_back(text + (count > 0 ? ")" : ""));
  }
  for (const std::string& kind : tuner::measurements_of(experiment.measurement)) {
    if (measurements.count(kind) == 0) lacks.push_back(name_of_measurement(kind));
  }
  return {.configurations = missing,
          .required = !missing_series.empty() || lacks.size() > (missing > 0 ? 1U : 0U),
          .description = fmt::format("{}", fmt::join(lacks, ", "))};
}

const figure_record::finished_sweep& figure_record::finished_sweep_of(const std::string& experiment,
                                                                      const std::string& device) {
  if (finished_sweeps_.empty()) {
    const db::table counts = db::run_query(
        store_,
        "SELECT e.name, CASE d.kind WHEN 'cpu' THEN '' ELSE d.hash END, count(DISTINCT t.id), "
        "count(DISTINCT t.workload || t.query) FROM latest t JOIN experiment_trial x ON x.trial = t.id JOIN experiment "
        "e ON e.id = x.experiment JOIN device d ON d.id = t.device GROUP BY 1, 2");
    for (const auto& row : counts.rows) {
      finished_sweeps_[{row[0].text, row[1].text}] = {std::stoull(row[2].text), std::stoull(row[3].text)};
    }
  }
  return finished_sweeps_[{experiment, device}];
}

bool figure_record::is_complete(const reproduce::figure_sweep& sweep, const recorded_device& device) {
  const tuner::experiment_file experiment = tuner::load_experiment(sweep.file);
  const auto problem = problems::make_problem(experiment.problem);
  const bool on_processors = sweep.place == reproduce::sweep_place::processors;
  const auto& [trials, inputs] = finished_sweep_of(experiment.name, on_processors ? "" : device.hash);
  // A simulator takes other, small workloads.
  const bool modelled = backends::traits_of_kind(device.kind).modelled;
  const std::uint64_t expected_inputs = modelled ? inputs : count_inputs(experiment, *problem);
  return trials >= expected_inputs * count_trials_of_input(experiment, *problem);
}

figure_trials figure_record::trials_of(const reproduce::figure& figure, const recorded_device& device) {
  const auto is_recorded = [this](const std::string& name) { return experiments_.count(name) > 0; };
  figure_trials trials;
  for (const reproduce::figure_sweep& sweep : figure.sweeps) {
    trials.experiments.push_back(tuner::load_experiment(sweep.file).name);
  }
  const bool has_sweeps = std::any_of(trials.experiments.begin(), trials.experiments.end(), is_recorded);
  if (!has_sweeps && std::any_of(figure.recorded.begin(), figure.recorded.end(), is_recorded)) {
    return {.experiments = figure.recorded};
  }
  const bool needs_gpu = std::none_of(figure.sweeps.begin(), figure.sweeps.end(),
                                      [](const auto& sweep) { return sweep.place == reproduce::sweep_place::device; });
  for (const reproduce::figure_sweep& sweep : figure.sweeps) {
    const bool is_required =
        sweep.place == reproduce::sweep_place::device || (needs_gpu && sweep.place == reproduce::sweep_place::gpu);
    if (is_required) {
      const missing_trials missing = find_missing(sweep.file, device);
      if (missing.required || !has_sweeps) {
        throw reproduce::not_on_record(missing.description.empty() ? "a sweep of " + sweep.file.filename().string()
                                                                   : missing.description);
      }
    }
    const bool is_optional = backends::traits_of_kind(device.kind).modelled && !is_required;
    trials.incomplete = trials.incomplete || (!is_optional && !is_complete(sweep, device));
  }
  return trials;
}

std::vector<std::string> figure_record::workloads_of(const std::vector<std::string>& experiments,
                                                     const std::vector<std::string>& words) const {
  const db::table rows = db::run_query(
      store_, fmt::format("SELECT DISTINCT w.name, w.hash FROM workload w JOIN trial t ON t.workload = w.id "
                          "JOIN experiment_trial x ON x.trial = t.id JOIN experiment e ON e.id = x.experiment "
                          "WHERE e.name IN ('{}') ORDER BY 1, 2",
                          fmt::join(experiments, "', '")));
  std::vector<std::string> names;
  for (const auto& row : rows.rows) names.push_back(row[0].text);
  std::vector<std::string> hashes;
  for (const std::string& word : words) {
    // Files and folders are on record by their names.
    const std::string pattern = word.substr(word.find_last_of('/') + 1);
    bool matches = false;
    for (const auto& row : rows.rows) {
      if (row[0].text != pattern && ::fnmatch(pattern.c_str(), row[0].text.c_str(), 0) != 0) continue;
      matches = true;
      if (std::find(hashes.begin(), hashes.end(), row[1].text) == hashes.end()) hashes.push_back(row[1].text);
    }
    if (matches) continue;
    throw reproduce::not_on_record(fmt::format("no workload '{}'{}", word, did_you_mean(pattern, names)));
  }
  return hashes;
}

std::string how_to_measure(const reproduce::figure& figure) {
  std::uint64_t trials = 0;
  for (const reproduce::figure_sweep& sweep : figure.sweeps)
    trials += sweep.place == reproduce::sweep_place::processors ? 0 : count_trials(sweep.file);
  return fmt::format("measure it with 'mlmq reproduce {} --device cuda:0' (about {:.0f} GPU min)", figure.name,
                     std::ceil(static_cast<double>(trials) * seconds_per_trial / 60));
}

}  // namespace mlmq::cli
