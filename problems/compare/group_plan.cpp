// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/group_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "problems/compare/table.hpp"
#include "tuner/configuration.hpp"

namespace mlmq::compare {
namespace {

/// Returns the fastest of `candidates`. If none has a time, returns the first, whose failure is on record; nothing if
/// there are no candidates.
template <class Median>
std::optional<tuner::configuration> fastest(const std::vector<tuner::configuration>& candidates,
                                            const Median& median_of) {
  const tuner::configuration* best = nullptr;
  std::optional<double> best_ms;
  for (const tuner::configuration& candidate : candidates) {
    const std::optional<double> median = median_of(candidate);
    if (best == nullptr || (median && (!best_ms || *median < *best_ms))) {
      best = &candidate;
      best_ms = median;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

}  // namespace

void group_plan::make() {
  const configurations contestants = choose();
  if (common_.caller.has_stopped()) return;
  std::vector<db::trial_key> trials;
  for (const tuner::configuration& configuration : contestants)
    trials.push_back(common_.record.interleaved_key(group_, configuration));
  const bool counts = !common_.problem.counters().empty();
  for (const tuner::configuration& configuration : contestants) {
    if (counts && !tuner::peer_name(configuration))
      trials.push_back(common_.record.key(group_, configuration, counter_measurement));
  }
  common_.record.plan(trials);
}

group_plan::configurations group_plan::choose() {
  configurations contestants;
  const auto add = [&contestants](std::optional<tuner::configuration> configuration) {
    if (configuration && std::find(contestants.begin(), contestants.end(), *configuration) == contestants.end())
      contestants.push_back(*std::move(configuration));
  };
  if (session_.has_selector()) {
    add(selected_configuration());
    // The selector's choice may also be the best known configuration.
    measure_selected(contestants.front());
  }
  add(best_on_record());
  std::set<std::string> seen = {our_name};
  for (const tuner::configuration& candidate : session_.candidates()) {
    const std::string name = common_.contestants.name_of(candidate);
    if (seen.insert(name).second) add(best_competitor(name));
  }
  for (const peer* const program : session_.peers()) {
    add(best_of_peer(*program));
    if (common_.caller.has_stopped()) break;
  }
  return contestants;
}

/// The first recommended configuration that this device can launch, which is the one that `mlmq solve` takes.
tuner::configuration group_plan::selected_configuration() {
  for (const auto& recommendation : common_.contestants.recommended(group_.workload, session_.info())) {
    if (runner_.can_launch(recommendation.configuration)) return recommendation.configuration;
  }
  return common_.contestants.parameters().parse_label("");
}

/// Measures the selector's choice like a candidate, unless it is on record.
void group_plan::measure_selected(const tuner::configuration& configuration) {
  const std::int64_t trial = common_.record.plan_candidate(common_.record.key(group_, configuration, time_measurement));
  if (common_.caller.wants_stop() || !common_.record.claim(trial)) return;
  common_.record.finish_with(trial, [&] {
    return runner_.measure(configuration, tuner::instrumentation::none,
                           candidate_settings(common_.options.configurations.measurement));
  });
}

std::optional<tuner::configuration> group_plan::best_on_record() {
  const auto recorded_median = [&](const tuner::configuration& configuration) {
    return common_.record.median(group_, configuration);
  };
  std::optional<tuner::configuration> best = fastest(ours_on_record(), recorded_median);
  if (best && !recorded_median(*best)) return std::nullopt;
  return best;
}

/// Returns the configurations of the short list, and all others of this program that are recorded for this workload and
/// device.
group_plan::configurations group_plan::ours_on_record() const {
  configurations result = session_.candidates_of(our_name);
  db::trial_filter filter;
  filter.device = group_.device_row;
  filter.workload = group_.workload_row;
  filter.query = group_.query.text();
  filter.problem = common_.problem.name();
  for (const db::training_row& row : common_.record.store().training(filter).rows) {
    const auto configuration = tuner::configuration::from_json(std::string(row.parameters_json));
    if (!row.median_ms || !common_.contestants.is_ours(configuration)) continue;
    try {
      if (common_.contestants.parameters().complete(configuration) == configuration) result.push_back(configuration);
    } catch (const input_error&) {
      continue;  // recorded by another version of this program
    }
  }
  return result;
}

std::optional<tuner::configuration> group_plan::best_competitor(const std::string& name) {
  return fastest(session_.candidates_of(name),
                 [&](const tuner::configuration& candidate) { return common_.record.median(group_, candidate); });
}

std::optional<tuner::configuration> group_plan::best_of_peer(const peer& program) {
  configurations sets;
  for (const tuner::configuration& parameters : program.parameter_sets) {
    sets.push_back(tuner::peer_configuration(program.name, parameters));
  }
  if (sets.size() == 1) return sets.front();
  return fastest(sets, [&](const tuner::configuration& candidate) { return candidate_median(program, candidate); });
}

/// Runs one process with one parameter set, unless its time is on record.
std::optional<double> group_plan::candidate_median(const peer& program, const tuner::configuration& configuration) {
  const std::int64_t trial = common_.record.plan_candidate(common_.record.key(group_, configuration, time_measurement));
  if (!common_.caller.wants_stop() && common_.record.claim(trial)) {
    common_.caller.report_progress(
        fmt::format("{} on {}: {}", program.name, group_.workload.record.name, configuration.label()));
    common_.record.finish_with(trial, [&] { return runner_.run_peer(configuration, 1); });
  }
  return common_.record.median(trial);
}

}  // namespace mlmq::compare
