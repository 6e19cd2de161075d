// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// The queues that a configuration consists of: what figures draw side by side.
std::string kind_of_queues(const selector::candidate& candidate) {
  std::string kind;
  for (const auto& [name, value] : candidate.parameters) {
    if (name == "solver" || name == "l1" || name == "l2") kind += name + '=' + value + ',';
  }
  return kind;
}

}  // namespace

tune_measurement::tune_measurement(tune_request request)
    : request_(std::move(request)),
      space_(tuner::load_experiment(request_.sweep.space)),
      problem_(problems::make_problem(space_.problem)),
      parameters_(tuner::parameter_set::from_declarations(problem_->declarations(), problem_->presets())) {
  request_.sweep.database = (request_.folder / "results.sqlite").string();
  request_.sweep.leave_out_unfit = true;
}

bool tune_measurement::fits(const tuner::configuration& chosen) const {
  return problem_->unfit_reason(chosen, device_).empty();
}

double tune_measurement::seconds_left() const {
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin_;
  return request_.sweep.seconds - gone.count();
}

void tune_measurement::require_record() const {
  if (record_) record_->require_in_place();
}

bool tune_measurement::run() {
  // The first count makes sure that the record has counts even if the budget ends while more configurations are tried.
  return measure_space() && measure_baselines() && count_work() && measure_around() && count_work();
}

sweep_run tune_measurement::measure(const fs::path& experiment, sweep_report report) {
  std::fflush(stdout);
  sweep_run_options options = request_.sweep;
  options.space = experiment.string();
  options.tell_notes = report == sweep_report::summary;  // once is enough
  options.report = request_.silent ? sweep_report::none : report;
  // At least one trial is measured, however short the time is, so that repeating the command makes progress.
  options.seconds = std::max(seconds_left(), 1e-3);
  // The workloads of the space stand in the files made from it, too, but its paths are relative to where it is.
  if (options.workloads.empty()) options.workloads = {request_.sweep.space};
  require_record();
  sweep_run run = run_sweep(options);
  request_.sweep.on_planned = nullptr;
  if (!record_) record_ = db::store::open(options.database, db::open_mode::read_only);
  if (run.interrupted && request_.silent) print_text(stderr, "mlmq: stopped; rerun this command to continue\n");
  experiments_.push_back(run.experiment);
  out_of_time_ = out_of_time_ || run.out_of_time || run.elsewhere > 0;
  std::fflush(stdout);
  return run;
}

bool tune_measurement::measure_space() {
  device_ = backends::inspect_device(backends::list_devices(request_.sweep.device, request_.sweep.workers).front());
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
  for (const tuner::unfit_configuration& unfit : first_.unfit) unfit_.insert(unfit.label);
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
  const tuner::search_space space(space_.space, problem_->declarations(), problem_->presets());
  const auto proposer = tuner::make_strategy(space_.strategy, space);
  for (const tuner::configuration& proposal : tuner::proposals(*proposer)) {
    if (fits(proposal)) labels.push_back(proposal.label());
  }
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
                                            const std::vector<tuner::configuration>& configurations,
                                            bool counts) const {
  const fs::path file = request_.folder / (name + ".yaml");
  write_file_atomically(
      file, tuner::derived_experiment(space_, space_.name + "-" + name, description, configurations, counts));
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
          if (!fits(label)) {
            unfit_.insert(label);
            continue;
          }
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
  return tuner::configurations_around(parameters_, parents, known, count, seed,
                                      [this](const tuner::configuration& proposal) { return fits(proposal); });
}

bool tune_measurement::measure_around() {
  for (std::size_t round = 1; sampled_ < request_.sample; ++round) {
    if (out_of_time_ || seconds_left() <= 0 || complete_part(data_, needed_).means.workloads.empty()) return true;
    const std::string name = fmt::format("around-{}", round);
    std::vector<tuner::configuration> tried = sampled_before(request_.folder / (name + ".yaml"));
    if (tried.empty()) tried = propose(std::min(in_one_round, request_.sample - sampled_), round);
    if (tried.empty()) return true;
    if (!request_.silent)
      print_text("\n{} configuration{} around the best ones:\n", tried.size(), tried.size() == 1 ? "" : "s");
    const fs::path file =
        write_experiment(name, "Configurations like those that were the best, but for one or two parameters.", tried);
    const sweep_run run = measure(file, sweep_report::line);
    if (run.interrupted) return false;
    sampled_ += tried.size();
    load();
  }
  return true;
}

/// The fastest configuration of each workload, and of each kind of queues the one that is the fastest on a class of
/// workloads: those that plots/configurations_by_class.py draws.
std::set<tuner::configuration> tune_measurement::finalists() const {
  // Of configurations that are equally fast, the figure and this function take the first label.
  const selector::training_set set = selector::in_canonical_order(data_.set);
  const selector::performance_matrix performance(set);
  struct score {
    std::size_t solved = 0;
    double logarithms = 0;  ///< of relative performance

    [[nodiscard]] bool is_better_than(const score& other) const {
      if (solved != other.solved) return solved > other.solved;
      return logarithms > other.logarithms + 1e-9;
    }
  };
  std::map<std::string_view, std::vector<score>> by_class;
  std::set<std::size_t> chosen;
  for (std::size_t w = 0; w < set.workloads.size(); ++w) {
    if (!performance.solved(w)) continue;
    std::vector<score>& scores = by_class[set.workloads[w].workload_class];
    scores.resize(set.candidates.size());
    for (std::size_t c = 0; c < set.candidates.size(); ++c) {
      const double relative = performance.relative(w, c);
      if (relative == 1) chosen.insert(c);
      if (!(relative > 0)) continue;
      ++scores[c].solved;
      scores[c].logarithms += std::log(relative);
    }
  }
  for (const auto& [name, scores] : by_class) {
    std::map<std::string, std::size_t> best;
    for (std::size_t c = 0; c < scores.size(); ++c) {
      const auto [place, is_new] = best.try_emplace(kind_of_queues(set.candidates[c]), c);
      if (!is_new && scores[c].is_better_than(scores[place->second])) place->second = c;
    }
    for (const auto& [kind, c] : best) {
      if (scores[c].solved > 0) chosen.insert(c);
    }
  }
  std::set<tuner::configuration> finalists;
  for (const std::size_t c : chosen) finalists.insert(parameters_.parse_label(set.candidates[c].label));
  return finalists;
}

bool tune_measurement::count_work() {
  if (space_.measurement.counters || out_of_time_ || seconds_left() <= 0) return true;
  std::set<tuner::configuration> uncounted = finalists();
  for (const tuner::configuration& configuration : counted_) uncounted.erase(configuration);
  if (uncounted.empty()) return true;
  if (!request_.silent) print_text("\nCounting the work of {} of the fastest configurations:\n", uncounted.size());
  const fs::path file = write_experiment(counted_.empty() ? "counted-1" : "counted-2",
                                         "The work of the fastest configurations of each kind of queues.",
                                         {uncounted.begin(), uncounted.end()}, true);
  counted_.insert(uncounted.begin(), uncounted.end());
  return !measure(file, sweep_report::line).interrupted;
}

}  // namespace mlmq::cli
