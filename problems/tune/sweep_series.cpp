// SPDX-License-Identifier: Apache-2.0
#include "problems/tune/sweep_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "backends/registry.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "problems/registry.hpp"
#include "problems/tune/complete_record.hpp"
#include "selector/candidates.hpp"
#include "tuner/around.hpp"
#include "tuner/derived_experiment.hpp"
#include "tuner/search_space.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tune {
namespace {

namespace fs = std::filesystem;

/// Number of configurations per round of sampling.
constexpr std::size_t in_one_round = 8;
/// Maximum number of rounds for baselines whose first choices cannot run on the device.
constexpr int most_baseline_rounds = 6;
/// Maximum number of configurations around which others are sampled.
constexpr std::size_t most_parents = 12;
/// Maximum number of configurations that a search found and that are measured with all graphs.
constexpr std::size_t most_found = 32;
/// Share of the remaining time that a search may take; the rest is for measuring what it found.
constexpr double share_of_search = 0.7;

/// Returns the queues of a configuration, by which figures group configurations.
std::string kind_of_queues(const selector::candidate& candidate) {
  std::string kind;
  for (const auto& [name, value] : candidate.parameters) {
    if (name == "solver" || name == "l1" || name == "l2") kind += name + '=' + value + ',';
  }
  return kind;
}

}  // namespace

sweep_series::sweep_series(series_request request)
    : request_(std::move(request)),
      database_(request_.folder / "results.sqlite"),
      space_(tuner::load_experiment(request_.space)),
      problem_(problems::problem_of(space_)),
      parameters_(tuner::parameter_set::from_declarations(problem_->declarations(), problem_->presets())) {
  if (request_.search.empty()) return;
  const tuner::experiment_file search = tuner::load_experiment(request_.search);
  if (search.problem != space_.problem) {
    throw input_error(fmt::format("{}the search is of the problem '{}', but what it is to improve on, {}, of '{}'",
                                  search.problem_place.prefix(), search.problem, request_.space.string(),
                                  space_.problem));
  }
  if (!search.strategy.learns()) {
    throw input_error(fmt::format("{}: a search needs a strategy that learns, such as {{name: model, budget: 64}}",
                                  request_.search.string()));
  }
  const tuner::search_space checked(search.space, problem_->declarations(), problem_->presets());
}

bool sweep_series::fits(const tuner::configuration& chosen) const {
  return problem_->unfit_reason(chosen, device_).empty();
}

double sweep_series::seconds_left() const {
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - begin_;
  return request_.seconds - gone.count();
}

void sweep_series::require_record() const {
  if (record_) record_->require_in_place();
}

std::vector<db::best_result> sweep_series::best() const {
  if (!record_ || (space_.metrics.empty() && space_.objectives.front().is_time())) return {};
  std::vector<db::best_result> results = db::read_status(*record_).best;
  std::erase_if(results, [this](const db::best_result& row) {
    return row.device != data_.source.device_name || row.problem != data_.source.problem;
  });
  return results;
}

bool sweep_series::run() {
  // Count work before sampling, too, in case the budget ends during the sampling.
  return measure_space() && measure_baselines() && count_work() &&
         (request_.search.empty() ? measure_around() : measure_searched()) && count_work();
}

void sweep_series::begin_step(const std::string& title) const {
  if (request_.on_step) request_.on_step(title);
}

tuner::sweep_outcome sweep_series::measure(const fs::path& experiment, bool is_first, double share) {
  sweep_settings sweep{.experiment = experiment,
                       .database = database_,
                       .workloads = request_.workloads,
                       // Always measure something, so that repeated runs make progress even with a tiny budget.
                       .seconds = std::max(share * seconds_left(), 1e-3),
                       .cache = &workloads_,
                       .is_first = is_first};
  // The derived files have the same workloads, but relative paths refer to the folder of the original file.
  if (sweep.workloads.empty()) sweep.workloads = {request_.space.string()};
  require_record();
  tuner::sweep_outcome outcome = request_.sweep(sweep);
  if (!record_) record_ = db::store::open(database_, db::open_mode::read_only);
  experiments_.push_back(outcome.experiment);
  out_of_time_ = out_of_time_ || outcome.out_of_time || outcome.elsewhere > 0;
  return outcome;
}

bool sweep_series::measure_space() {
  device_ = backends::inspect_device(backends::list_devices(request_.device, request_.workers).front());
  first_outcome_ = measure(request_.space, true);
  if (first_outcome_.interrupted) return false;
  const std::vector<db::device_record>& devices = first_outcome_.devices;
  const bool one_kind = std::all_of(devices.begin(), devices.end(), [&](const db::device_record& device) {
    return device.name == devices.front().name;
  });
  if (!one_kind) throw input_error("--device: the devices are of several kinds; tune for one kind at a time");
  if (first_outcome_.done == 0) throw work_error(std::string(nothing_complete));
  if (first_outcome_.done == first_outcome_.failed)
    throw work_error(fmt::format("all {} finished trials failed; {}", first_outcome_.done, request_.failure_hint));
  for (const tuner::unfit_configuration& unfit : first_outcome_.unfit) unfit_.insert(unfit.label);
  load();
  needed_ = labels_of_space();
  baselines_ = tune::baselines(problems::find_problem(space_.problem), device_, standard_features(data_));
  return true;
}

/// Returns the configurations with which every graph is measured; for a learning strategy, the measured ones.
std::vector<std::string> sweep_series::labels_of_space() const {
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
void sweep_series::load() {
  std::vector<db::trial_filter> scopes;
  {
    const auto store = db::store::open(database_, db::open_mode::read_only);
    for (const std::string& name : experiments_) {
      db::trial_filter& scope = scopes.emplace_back();
      scope.experiment = store.find_experiment(name).id;
    }
  }
  data_ = selector::load_training_data({database_.string()}, problem_->name(),
                                       problems::features_of_problem(space_.problem),
                                       first_outcome_.devices.front().name, scopes, selector::grouping::workload);
  const std::set<std::string> hashes(first_outcome_.workloads.begin(), first_outcome_.workloads.end());
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

fs::path sweep_series::write_experiment(const std::string& name, const std::string& description,
                                        const std::vector<tuner::configuration>& configurations, bool counts) const {
  const fs::path file = request_.folder / (name + ".yaml");
  write_file_atomically(
      file, tuner::derived_experiment(space_, space_.name + "-" + name, description, configurations, counts));
  return file;
}

bool sweep_series::measure_baselines() {
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
    begin_step("Measuring the current selector's choices");
    const fs::path file =
        write_experiment(fmt::format("baseline-{}", round + 1), "The baseline's choices for the tuned graphs.",
                         {missing.begin(), missing.end()});
    const tuner::sweep_outcome outcome = measure(file);
    if (outcome.interrupted) return false;
    load();
    if (outcome.out_of_time) return true;
  }
  return true;
}

/// Returns the configurations that an earlier run sampled.
std::vector<tuner::configuration> sweep_series::sampled_before(const fs::path& file) const {
  std::error_code failure;
  if (!fs::exists(file, failure)) return {};
  std::vector<tuner::configuration> result;
  try {
    const tuner::experiment_file before = tuner::load_experiment(file);
    if (before.problem != space_.problem) return {};
    for (const tuner::configuration_request& request : before.space.configurations)
      result.push_back(parameters_.complete(request.values, request.place));
  } catch (const input_error& error) {
    if (request_.on_warning) {
      request_.on_warning(fmt::format(
          "the configurations in a file of an earlier run cannot be used; trying others: {}", error.what()));
    }
    return {};
  }
  return result;
}

std::vector<tuner::configuration> sweep_series::propose(std::size_t count, std::uint64_t seed) const {
  const complete_record own_record = complete_part(data_, needed_);
  const auto best = selector::covering_candidates(own_record.means, request_.tolerance, most_parents);
  std::vector<tuner::configuration> parents;
  for (const std::size_t c : best) parents.push_back(parameters_.parse_label(own_record.means.candidates[c].label));
  std::vector<tuner::configuration> measured;
  for (const selector::candidate& candidate : data_.set.candidates)
    measured.push_back(parameters_.parse_label(candidate.label));
  return tuner::configurations_around(parameters_, parents, measured, count, seed,
                                      [this](const tuner::configuration& proposal) { return fits(proposal); });
}

bool sweep_series::measure_around() {
  for (std::size_t round = 1; sampled_ < request_.sample; ++round) {
    if (out_of_time_ || seconds_left() <= 0 || complete_part(data_, needed_).means.workloads.empty()) return true;
    const std::string name = fmt::format("around-{}", round);
    std::vector<tuner::configuration> tried = sampled_before(request_.folder / (name + ".yaml"));
    if (tried.empty()) tried = propose(std::min(in_one_round, request_.sample - sampled_), round);
    if (tried.empty()) return true;
    begin_step(fmt::format("{} configuration{} around the best ones", tried.size(), tried.size() == 1 ? "" : "s"));
    const fs::path file =
        write_experiment(name, "Configurations like those that were the best, but for one or two parameters.", tried);
    if (measure(file).interrupted) return false;
    sampled_ += tried.size();
    load();
  }
  return true;
}

std::vector<tuner::configuration> sweep_series::faster_ones() const {
  const selector::training_set means = selector::mean_over_queries(data_.set);
  const selector::performance_matrix performance(means);
  const std::set<std::string> measured_everywhere(needed_.begin(), needed_.end());
  std::map<std::string, double> gains;
  for (std::size_t w = 0; w < means.workloads.size(); ++w) {
    std::size_t best = means.candidates.size();
    double best_known = 0;
    for (std::size_t c = 0; c < means.candidates.size(); ++c) {
      if (measured_everywhere.contains(means.candidates[c].label))
        best_known = std::max(best_known, performance.relative(w, c));
      if (performance.relative(w, c) == 1) best = c;
    }
    if (best == means.candidates.size() || !(best_known > 0) || best_known > 1 / (1 + request_.tolerance)) continue;
    double& gain = gains[means.candidates[best].label];
    gain = std::max(gain, 1 / best_known);
  }
  std::vector<std::pair<double, std::string>> descending;
  for (const auto& [label, gain] : gains) descending.emplace_back(-gain, label);
  std::sort(descending.begin(), descending.end());
  std::vector<tuner::configuration> faster;
  for (const auto& [gain, label] : descending) {
    if (faster.size() < most_found) faster.push_back(parameters_.parse_label(label));
  }
  return faster;
}

bool sweep_series::measure_searched() {
  if (out_of_time_ || seconds_left() <= 0 || complete_part(data_, needed_).means.workloads.empty()) return true;
  begin_step("Searching for the fastest configurations of each workload");
  const tuner::sweep_outcome searched = measure(request_.search, false, share_of_search);
  if (searched.interrupted) return false;
  is_search_unfinished_ = std::exchange(out_of_time_, false);  // only the search's share is used up
  load();
  // A later command that continues the search finds more.
  const std::vector<tuner::configuration> faster = faster_ones();
  if (faster.empty() || seconds_left() <= 0) return true;
  begin_step(fmt::format("{} configuration{} that the search found", faster.size(), faster.size() == 1 ? "" : "s"));
  const fs::path file = write_experiment(
      "found", "Configurations that were faster than all those that every workload was measured with.", faster);
  if (measure(file).interrupted) return false;
  sampled_ = faster.size();
  load();
  return true;
}

/// Returns the fastest configuration of each workload and, for each kind of queues, the fastest one on each workload
/// class. plots/configurations_by_class.py draws these.
std::set<tuner::configuration> sweep_series::finalists() const {
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

bool sweep_series::count_work() {
  if (space_.measurement.counters || out_of_time_ || seconds_left() <= 0) return true;
  std::set<tuner::configuration> uncounted = finalists();
  for (const tuner::configuration& configuration : counted_) uncounted.erase(configuration);
  if (uncounted.empty()) return true;
  begin_step(fmt::format("Counting the work of {} of the fastest configurations", uncounted.size()));
  const fs::path file = write_experiment(counted_.empty() ? "counted-1" : "counted-2",
                                         "The work of the fastest configurations of each kind of queues.",
                                         {uncounted.begin(), uncounted.end()}, true);
  counted_.insert(uncounted.begin(), uncounted.end());
  return !measure(file).interrupted;
}

}  // namespace mlmq::tune
