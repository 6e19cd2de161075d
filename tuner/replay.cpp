// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "tuner/experiment_file.hpp"

namespace mlmq::tuner {

std::vector<recorded_workload> read_recorded(const db::store& store, const db::experiment_row& experiment) {
  db::trial_filter filter;
  filter.experiment = experiment.id;
  const db::training_data data = store.training(filter);
  const db::objective criterion = db::objectives_of(store.access(), experiment.id).front();
  using place = std::pair<std::string, std::string>;  // hashes of workload and device
  struct partial {
    recorded_workload recorded;
    std::map<configuration, std::vector<evaluation>> by_query;
    std::set<std::string> queries;
  };
  std::map<place, partial> groups;
  for (const db::training_row& row : data.rows) {
    partial& group = groups[{std::string(row.workload_hash), std::string(row.device_hash)}];
    if (group.by_query.empty()) {
      group.recorded.workload = data.workloads.at(row.workload);
      group.recorded.device = store.device(row.device);
      group.recorded.times_modelled = row.times_modelled;
      group.recorded.criterion = criterion;
    }
    group.queries.emplace(row.query);
    group.by_query[configuration::from_json(std::string(row.parameters_json))].push_back(
        {.cost = row.cost, .seconds = store.summary(row.trial).value().seconds});
  }
  std::vector<recorded_workload> result;
  for (auto& [key, group] : groups) {
    recorded_workload& recorded = group.recorded;
    recorded.best_cost = std::numeric_limits<double>::infinity();
    for (const auto& [c, results] : group.by_query) {
      if (results.size() != group.queries.size()) continue;
      evaluation mean{.cost = 0.0};
      for (const evaluation& each : results) {
        mean.seconds += each.seconds;
        if (each.cost && mean.cost) {
          *mean.cost += *each.cost / static_cast<double>(results.size());
        } else {
          mean.cost.reset();
        }
      }
      if (mean.cost) recorded.best_cost = std::min(recorded.best_cost, *mean.cost);
      recorded.results.emplace(c, mean);
    }
    if (std::isinf(recorded.best_cost)) {
      throw input_error(store.file().string() + ": no configuration of the experiment '" + experiment.name +
                        "' solved the workload '" + recorded.workload.name + "', so it has no optimum to search for");
    }
    result.push_back(std::move(recorded));
  }
  if (result.empty()) {
    throw input_error(store.file().string() + ": the experiment '" + experiment.name +
                      "' has no finished time measurements; run its sweep first");
  }
  return result;
}

recorded_workload recorded_from(const results_file& read) {
  recorded_workload recorded;
  recorded.workload.name = read.problem.empty() ? read.kernel : read.kernel + " " + read.problem;
  recorded.device.name = read.device;
  recorded.best_cost = std::numeric_limits<double>::infinity();
  for (const auto& [c, result] : read.results) {
    const double milliseconds = result.compile_ms + result.check_ms + result.measure_ms + result.other_ms;
    recorded.results[c] = {.cost = result.milliseconds, .seconds = milliseconds / 1000};
    if (result.milliseconds) recorded.best_cost = std::min(recorded.best_cost, *result.milliseconds);
  }
  if (std::isinf(recorded.best_cost)) {
    throw input_error(read.file.string() + ": every configuration failed, so there is no optimum to search for");
  }
  return recorded;
}

namespace {

replayed_space whole_or_listed(const space_definition& definition, std::span<const parameter_declaration> declarations,
                               std::span<const preset> presets, const recorded_workload& recorded) {
  try {
    search_space space(definition, declarations, presets);
    const bool is_whole =
        space.count() == recorded.results.size() &&
        std::ranges::all_of(recorded.results, [&](const auto& entry) { return space.contains(entry.first); });
    if (is_whole) return {std::move(space), true};
  } catch (const input_error&) {
    // The experiment was written for another version of the problem.
  }
  std::vector<configuration> listed;
  for (const auto& [c, result] : recorded.results) listed.push_back(c);
  return {search_space::of_list(std::move(listed)), false};
}

}  // namespace

replayed_space space_of_recorded(const db::experiment_row& experiment, const problem* problem,
                                 const recorded_workload& recorded) {
  space_definition definition;
  try {
    definition = parse_experiment(experiment.space_text, experiment.name).space;
  } catch (const input_error&) {
    // The experiment was written for another version of the program; an empty definition is no space.
  }
  if (problem == nullptr) return space_of_recorded(definition, recorded);
  return whole_or_listed(definition, problem->declarations(), problem->presets(), recorded);
}

replayed_space space_of_recorded(const space_definition& definition, const recorded_workload& recorded) {
  return whole_or_listed(definition, {}, {}, recorded);
}

replayed_run replay(const strategy_settings& settings, const search_space& space, const strategy_guide& guide,
                    const recorded_workload& recorded, std::uint64_t budget, double tolerance, double seconds) {
  const auto chosen = make_strategy(settings, space, guide);
  replayed_run result;
  double best = std::numeric_limits<double>::infinity();
  double elapsed_s = 0;
  while (result.relative.size() < budget && elapsed_s < seconds) {
    const auto proposed = chosen->next();
    if (!proposed) break;
    const evaluation& answer = recorded.results.at(*proposed);
    if (answer.cost) best = std::min(best, *answer.cost);
    if (!result.needed) result.seconds += answer.seconds;
    elapsed_s += answer.seconds;
    result.elapsed_s.push_back(elapsed_s);
    result.relative.push_back(std::isinf(best) ? 0.0 : recorded.best_cost / best);
    if (!result.needed && best <= recorded.best_cost * (1 + tolerance)) result.needed = result.relative.size();
    if (best == recorded.best_cost) break;
    chosen->report(*proposed, answer);
  }
  result.relative.resize(budget, result.relative.empty() ? 0.0 : result.relative.back());
  return result;
}

quartiles quartiles_of(std::vector<double> values) {
  if (values.empty()) throw std::invalid_argument("quartiles need at least one value");
  std::ranges::sort(values);
  const auto value_at = [&](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const double rest = place - static_cast<double>(below);
    if (rest == 0.0) return values[below];
    return values[below] + rest * (values[below + 1] - values[below]);
  };
  // Interpolation between two infinities gives NaN.
  const auto finite_at = [&](double share) {
    const double interpolated = value_at(share);
    return std::isnan(interpolated) ? std::numeric_limits<double>::infinity() : interpolated;
  };
  return {finite_at(0.25), finite_at(0.5), finite_at(0.75)};
}

}  // namespace mlmq::tuner
