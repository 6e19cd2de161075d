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

/// Number of configurations per round of sampling.
constexpr std::size_t in_one_round = 8;
/// Maximum number of rounds for baselines whose first choices cannot run on the device.
constexpr int most_baseline_rounds = 6;
/// Maximum number of configurations around which others are sampled.
constexpr std::size_t most_parents = 12;

/// Returns the queues of a configuration, by which figures group configurations.
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
  request_.sweep.cache = &workloads_;
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
  // Count work before sampling, too, in case the budget ends during the sampling.
  return measure_space() && measure_baselines() && count_work() && measure_around() && count_work();
}

tuner::sweep_outcome tune_measurement::measure(const fs::path& experiment, sweep_report report) {
  std::fflush(stdout);
  sweep_run_options options = request_.sweep;
  options.space = experiment.string();
  options.tell_notes = report == sweep_report::summary;  // print notes in the first sweep only
  options.report = request_.silent ? sweep_report::none : report;
  // Always measure something, so that repeated runs make progress even with a tiny budget.
  options.seconds = std::max(seconds_left(), 1e-3);
  // The derived files have the same workloads, but relative paths refer to the folder of the original file.
  if (options.workloads.empty()) options.workloads = {request_.sweep.space};
  require_record();
  tuner::sweep_outcome run = run_sweep(options);
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

/// Returns the configurations with which every graph is measured; for a learning strategy, the measured ones.
std::vector<std::string> tune_measurement::labels_of_space() const {
  std::vector<std::string> labels;
  if (space_.strategy.learns()) {
    for (const selector::candidate& candidate : data_.set.candidates) labels.push_back(candidate.label);
    return labels;
  }
  const tuner::search_space space(space_.space, problem_->declarations(), problem_->presets());
  const auto proposer = tuner::make_strategy(space_.strategy, space);
  for (const tuner::configuration& proposal : tuner::proposals(*proposer)) {
    if (fits(proposal)) labels.push_back(proposal.label());
  }
  return labels;
}

/// Loads the trials of this command's graphs.
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
  data_ = selector::load_training_data({database}, space_.problem, problems::features_of_problem(space_.problem),
                                       {.device = first_.devices.front().name}, scopes, selector::grouping::workload);
  const std::set<std::string> hashes(first_.workloads.begin(), first_.workloads.end());
  std::vector<std::size_t> positions;
  std::vector<selector::training_input> inputs;
  for (std::size_t i = 0; i < data_.inputs.size(); ++i) {
    if (!hashes.contains(data_.inputs[i].hash)) continue;
    positions.push_back(i);
    inputs.push_back(data_.inputs[i]);
  }
  data_.set = selector::keep_workloads(data_.set, positions);
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
    const complete_record own_record = complete_part(data_, needed_);
    if (own_record.means.workloads.empty()) return true;
    const selector::performance_matrix performance(own_record.means);
    std::map<std::string_view, std::size_t> places;
    for (std::size_t c = 0; c < own_record.means.candidates.size(); ++c)
      places.emplace(own_record.means.candidates[c].label, c);
    const auto runs = [&](const std::string& label) {
      for (std::size_t w = 0; w < own_record.means.workloads.size(); ++w) {
        if (performance.relative(w, places.at(label)) > 0) return true;
      }
      return false;
    };
    std::set<tuner::configuration> missing;
    for (const baseline& baseline : baselines_) {
      for (const selector::workload_example& workload : own_record.means.workloads) {
        // If the first choices cannot run, measure twice as many in each round.
        const std::size_t most_unknown = std::size_t{1} << round;
        std::size_t unknown = 0;
        for (const std::string& label : baseline.candidates(workload)) {
          if (!fits(label)) {
            unfit_.insert(label);
            continue;
          }
          if (const auto place = places.find(label); place == places.end()) {
            missing.insert(parameters_.parse_label(label));
            if (++unknown == most_unknown && !baseline.knows(workload)) break;
          } else if (runs(label) && !baseline.knows(workload)) {
            break;
          }
        }
      }
    }
    if (missing.empty() || (round > 0 && out_of_time_)) return true;
    if (!request_.silent) print_text("\nMeasuring the current selector's choices:\n");
    const fs::path file =
        write_experiment(fmt::format("present-{}", round + 1), "The baseline's choices for the tuned graphs.",
                         {missing.begin(), missing.end()});
    const tuner::sweep_outcome run = measure(file, sweep_report::line);
    if (run.interrupted) return false;
    load();
    if (run.out_of_time) return true;
  }
  return true;
}

/// Returns the configurations that an earlier run sampled.
std::vector<tuner::configuration> tune_measurement::sampled_before(const fs::path& file) const {
  std::error_code failure;
  if (!fs::exists(file, failure)) return {};
  std::vector<tuner::configuration> result;
  try {
    const tuner::experiment_file before = tuner::load_experiment(file);
    if (before.problem != space_.problem) return {};
    for (const tuner::configuration_request& request : before.space.configurations)
      result.push_back(parameters_.complete(request.values, request.place));
  } catch (const input_error& error) {
    print_text(stderr,
               "mlmq: warning: other configurations are tried in place of those in a file of an earlier run: {}\n",
               error.what());
    return {};
  }
  return result;
}

std::vector<tuner::configuration> tune_measurement::propose(std::size_t count, std::uint64_t seed) const {
  const complete_record own_record = complete_part(data_, needed_);
  const auto best =
      selector::covering_candidates(selector::performance_matrix(own_record.means), request_.tolerance, most_parents);
  std::vector<tuner::configuration> parents;
  for (const std::size_t c : best) parents.push_back(parameters_.parse_label(own_record.means.candidates[c].label));
  std::vector<tuner::configuration> measured;
  for (const selector::candidate& candidate : data_.set.candidates)
    measured.push_back(parameters_.parse_label(candidate.label));
  return tuner::configurations_around(parameters_, parents, measured, count, seed,
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
    const tuner::sweep_outcome run = measure(file, sweep_report::line);
    if (run.interrupted) return false;
    sampled_ += tried.size();
    load();
  }
  return true;
}

/// Returns the fastest configuration of each workload and, for each kind of queues, the fastest one on each workload
/// class. plots/configurations_by_class.py draws these.
std::set<tuner::configuration> tune_measurement::finalists() const {
  // The figure and this function both resolve ties by the first label.
  const selector::training_set set = selector::in_canonical_order(data_.set);
  const selector::performance_matrix performance(set);
  struct score {
    std::size_t solved = 0;
    double logarithms = 0;  ///< sum of logarithms of relative performance

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
