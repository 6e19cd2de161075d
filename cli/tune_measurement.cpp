// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/print_text.hpp"
#include "cli/recorded_problem.hpp"
#include "db/store.hpp"
#include "problems/registry.hpp"
#include "selector/candidates.hpp"
#include "tuner/around.hpp"
#include "tuner/derived_experiment.hpp"
#include "tuner/search_space.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::cli {
namespace {

namespace fs = std::filesystem;

/// Configurations that are measured before the next ones are decided on.
constexpr std::size_t in_one_round = 8;
/// What solve passes over since the device cannot run it may be followed by more such.
constexpr int most_baseline_rounds = 6;
/// Configurations around which others are tried.
constexpr std::size_t most_parents = 12;

tuner::parameter_set parameters_of(const std::string& problem) {
  const auto made = problems::make_problem(problem);
  return tuner::parameter_set::from_declarations(made->declarations(), made->presets());
}

}  // namespace

tune_measurement::tune_measurement(tune_request request)
    : request_(std::move(request)),
      space_(tuner::load_experiment(request_.sweep.space)),
      parameters_(parameters_of(space_.problem)) {
  request_.sweep.database = (request_.folder / "results.sqlite").string();
}

double tune_measurement::seconds_left() const {
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin_;
  return request_.sweep.seconds - gone.count();
}

bool tune_measurement::run() { return measure_space() && measure_baselines() && measure_around(); }

sweep_run tune_measurement::measure(const fs::path& experiment, sweep_report report) {
  std::fflush(stdout);
  sweep_run_options options = request_.sweep;
  options.space = experiment.string();
  options.tell_notes = report == sweep_report::summary;  // once is enough
  options.report = request_.silent ? sweep_report::none : report;
  // Something is always measured, so that the same command goes on, however short the time is.
  options.seconds = std::max(seconds_left(), 1e-3);
  // The workloads of the space stand in the files made from it, too, but its paths are relative to where it is.
  if (options.workloads.empty()) options.workloads = {request_.sweep.space};
  sweep_run run = run_sweep(options);
  if (run.interrupted && request_.silent) print_text(stderr, "mlmq: stopped; rerun this command to continue\n");
  experiments_.push_back(run.experiment);
  out_of_time_ = out_of_time_ || run.out_of_time || run.elsewhere > 0;
  std::fflush(stdout);
  return run;
}

bool tune_measurement::measure_space() {
  first_ = measure(request_.sweep.space, sweep_report::summary);
  if (first_.interrupted) return false;
  const bool one_kind = std::all_of(first_.devices.begin(), first_.devices.end(), [&](const db::device_record& device) {
    return device.name == first_.devices.front().name;
  });
  if (!one_kind) throw input_error("--device: these are devices of several kinds; tune for one at a time");
  if (first_.done == 0) throw work_error(std::string(nothing_complete));
  if (first_.done == first_.failed)
    throw work_error(fmt::format("all {} finished trials failed; {}", first_.done,
                                 request_.silent ? "'mlmq db status' says how" : "see the summary"));
  device_ = backends::inspect_device(backends::list_devices(request_.sweep.device, request_.sweep.workers).front());
  load();
  needed_ = labels_of_space();
  baselines_ = cli::baselines(problems::find_problem(space_.problem), device_, standard_features(data_));
  return true;
}

/// All that every graph is measured with; of a strategy that learns, what has been measured.
std::vector<std::string> tune_measurement::labels_of_space() const {
  std::vector<std::string> labels;
  if (space_.strategy.learns()) {
    for (const selector::candidate& one : data_.set.candidates) labels.push_back(one.label);
    return labels;
  }
  const auto problem = problems::make_problem(space_.problem);
  const tuner::search_space space(space_.space, problem->declarations(), problem->presets());
  const auto proposer = tuner::make_strategy(space_.strategy, space);
  for (const tuner::configuration& one : tuner::proposals(*proposer)) labels.push_back(one.label());
  return labels;
}

/// The trials of this command's graphs.
void tune_measurement::load() {
  const std::string database = request_.sweep.database;
  std::vector<db::trial_filter> scopes;
  {
    const auto store = db::store::open(database, db::open_mode::read_only);
    for (const std::string& name : experiments_) {
      db::trial_filter& scope = scopes.emplace_back();
      scope.experiment = store.find_experiment(name).id;
    }
  }
  data_ = selector::load_training_data({database}, space_.problem, features_of_problem(space_.problem),
                                       {.device = first_.devices.front().name}, scopes, selector::grouping::workload);
  const std::set<std::string> wanted(first_.workloads.begin(), first_.workloads.end());
  std::vector<std::size_t> kept;
  std::vector<selector::training_input> inputs;
  for (std::size_t i = 0; i < data_.inputs.size(); ++i) {
    if (!wanted.contains(data_.inputs[i].hash)) continue;
    kept.push_back(i);
    inputs.push_back(data_.inputs[i]);
  }
  data_.set = selector::keep_workloads(data_.set, kept);
  data_.inputs = std::move(inputs);
  group_by_workload(data_);
}

fs::path tune_measurement::write_experiment(const std::string& name, const std::string& description,
                                            const std::vector<tuner::configuration>& configurations) const {
  const fs::path file = request_.folder / (name + ".yaml");
  write_file_atomically(file, tuner::derived_experiment(space_, space_.name + "-" + name, description, configurations));
  return file;
}

bool tune_measurement::measure_baselines() {
  for (int round = 0; round < most_baseline_rounds; ++round) {
    const complete_record own = complete_part(data_, needed_);
    if (own.means.workloads.empty()) return true;
    const selector::performance_matrix performance(own.means);
    std::map<std::string_view, std::size_t> places;
    for (std::size_t c = 0; c < own.means.candidates.size(); ++c) places.emplace(own.means.candidates[c].label, c);
    const auto runs = [&](const std::string& label) {
      for (std::size_t w = 0; w < own.means.workloads.size(); ++w) {
        if (performance.relative(w, places.at(label)) > 0) return true;
      }
      return false;
    };
    std::set<tuner::configuration> missing;
    for (const baseline& way : baselines_) {
      for (const selector::workload_example& one : own.means.workloads) {
        // Where the first ones cannot run, ever more are measured at once.
        const std::size_t wanted = std::size_t{1} << round;
        std::size_t unknown = 0;
        for (const std::string& label : way.candidates(one)) {
          if (const auto found = places.find(label); found == places.end()) {
            missing.insert(parameters_.parse_label(label));
            if (++unknown == wanted && !way.knows(one)) break;
          } else if (runs(label) && !way.knows(one)) {
            break;
          }
        }
      }
    }
    if (missing.empty() || (round > 0 && out_of_time_)) return true;
    if (!request_.silent) print_text("\nWhat is chosen for these graphs now:\n");
    const fs::path file = write_experiment(fmt::format("present-{}", round + 1),
                                           "What was chosen before tuning for the graphs that were tuned on.",
                                           {missing.begin(), missing.end()});
    const sweep_run run = measure(file, sweep_report::line);
    if (run.interrupted) return false;
    load();
    if (run.out_of_time) return true;
  }
  return true;
}

/// What an earlier run has decided to try.
std::vector<tuner::configuration> tune_measurement::sampled_before(const fs::path& file) const {
  std::error_code failure;
  if (!fs::exists(file, failure)) return {};
  std::vector<tuner::configuration> all;
  try {
    const tuner::experiment_file before = tuner::load_experiment(file);
    if (before.problem != space_.problem) return {};
    for (const tuner::configuration_request& one : before.space.configurations)
      all.push_back(parameters_.complete(one.given, one.place));
  } catch (const input_error& error) {
    print_text(stderr,
               "mlmq: warning: other configurations are tried in place of those in a file of an earlier run: {}\n",
               error.what());
    return {};
  }
  return all;
}

std::vector<tuner::configuration> tune_measurement::propose(std::size_t count, std::uint64_t seed) const {
  const complete_record own = complete_part(data_, needed_);
  const auto best =
      selector::covering_candidates(selector::performance_matrix(own.means), request_.tolerance, most_parents);
  std::vector<tuner::configuration> parents;
  for (const std::size_t c : best) parents.push_back(parameters_.parse_label(own.means.candidates[c].label));
  std::vector<tuner::configuration> known;
  for (const selector::candidate& one : data_.set.candidates) known.push_back(parameters_.parse_label(one.label));
  return tuner::configurations_around(parameters_, parents, known, count, seed);
}

bool tune_measurement::measure_around() {
  for (std::size_t round = 1; sampled_ < request_.sample; ++round) {
    if (out_of_time_ || seconds_left() <= 0 || complete_part(data_, needed_).means.workloads.empty()) return true;
    const std::string name = fmt::format("around-{}", round);
    std::vector<tuner::configuration> tried = sampled_before(request_.folder / (name + ".yaml"));
    if (tried.empty()) tried = propose(std::min(in_one_round, request_.sample - sampled_), round);
    if (tried.empty()) return true;
    if (!request_.silent) print_text("\n{} configurations around the best ones:\n", tried.size());
    const fs::path file =
        write_experiment(name, "Configurations like those that were the best, but for one or two parameters.", tried);
    const sweep_run run = measure(file, sweep_report::line);
    if (run.interrupted) return false;
    sampled_ += tried.size();
    load();
  }
  return true;
}

}  // namespace mlmq::cli
