// SPDX-License-Identifier: Apache-2.0
#include "compare/group_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "compare/table.hpp"
#include "tuner/peer_configuration.hpp"

namespace mlmq::compare {
namespace {

/// The fastest of `among`, else the first, whose failure is then on record; nothing when there is none.
template <class Median>
std::optional<tuner::configuration> fastest(const std::vector<tuner::configuration>& among, const Median& median_of) {
  const tuner::configuration* best = nullptr;
  std::optional<double> best_ms;
  for (const tuner::configuration& one : among) {
    const std::optional<double> median = median_of(one);
    if (best == nullptr || (median && (!best_ms || *median < *best_ms))) {
      best = &one;
      best_ms = median;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

}  // namespace

void group_plan::make() {
  const configurations chosen = choose();
  if (common_.asked_by.has_stopped()) return;
  std::vector<db::trial_key> trials;
  for (const tuner::configuration& one : chosen) trials.push_back(common_.recorded.key_in_turns(where_, one));
  const bool counts = !common_.problem.counters().empty();
  for (const tuner::configuration& one : chosen) {
    if (counts && !tuner::peer_name(one)) trials.push_back(common_.recorded.key(where_, one, counted));
  }
  common_.recorded.plan(trials);
}

group_plan::configurations group_plan::choose() {
  configurations all;
  const auto add = [&all](std::optional<tuner::configuration> one) {
    if (one && std::find(all.begin(), all.end(), *one) == all.end()) all.push_back(*std::move(one));
  };
  if (stage_.has_selector()) {
    add(selected());
    // The selector's choice may be the best known, too.
    measure_selected(all.front());
  }
  add(best_on_record());
  std::set<std::string> seen = {our_name};
  for (const tuner::configuration& one : stage_.candidates()) {
    const std::string name = common_.who.name_of(one);
    if (seen.insert(name).second) add(best_competitor(name));
  }
  for (const peer* const one : stage_.peers()) {
    add(best_of_peer(*one));
    if (common_.asked_by.has_stopped()) break;
  }
  return all;
}

/// The first recommended configuration that this device can launch, which is the one that `mlmq solve` takes.
tuner::configuration group_plan::selected() {
  for (const auto& next : common_.who.recommended(where_.loaded, stage_.info())) {
    if (runner_.can_launch(next.configuration)) return next.configuration;
  }
  return common_.who.parameters().parse_label("");
}

/// As a candidate, unless it is on record.
void group_plan::measure_selected(const tuner::configuration& chosen) {
  const std::int64_t trial = common_.recorded.plan_candidate(common_.recorded.key(where_, chosen, timed));
  if (common_.asked_by.wants_stop() || !common_.recorded.claim(trial)) return;
  common_.recorded.finish_with(trial, [&] {
    return runner_.measure(chosen, tuner::instrumentation::none,
                           candidate_settings(common_.options.configurations.measurement));
  });
}

std::optional<tuner::configuration> group_plan::best_on_record() {
  const auto recorded = [&](const tuner::configuration& one) { return common_.recorded.median(where_, one); };
  std::optional<tuner::configuration> best = fastest(ours_on_record(), recorded);
  if (best && !recorded(*best)) return std::nullopt;
  return best;
}

/// Those of the short list, and whatever else of ours has been recorded for this workload and device.
group_plan::configurations group_plan::ours_on_record() const {
  configurations found = stage_.candidates_of(our_name);
  db::trial_filter filter;
  filter.device = where_.device;
  filter.workload = where_.workload;
  filter.query = where_.asked.text();
  filter.problem = common_.problem.name();
  for (const db::training_row& row : common_.recorded.store().training(filter).rows) {
    const auto chosen = tuner::configuration::from_json(row.parameters_json);
    if (!row.median_ms || !common_.who.is_ours(chosen)) continue;
    try {
      if (common_.who.parameters().complete(chosen) == chosen) found.push_back(chosen);
    } catch (const input_error&) {
      continue;  // of another version of this program
    }
  }
  return found;
}

std::optional<tuner::configuration> group_plan::best_competitor(const std::string& name) {
  return fastest(stage_.candidates_of(name),
                 [&](const tuner::configuration& one) { return common_.recorded.median(where_, one); });
}

std::optional<tuner::configuration> group_plan::best_of_peer(const peer& program) {
  configurations sets;
  for (const tuner::configuration& own : program.parameter_sets) {
    sets.push_back(tuner::peer_configuration(program.name, own));
  }
  if (sets.size() == 1) return sets.front();
  return fastest(sets, [&](const tuner::configuration& one) { return candidate_median(program, one); });
}

/// One process with one parameter set, unless it is on record.
std::optional<double> group_plan::candidate_median(const peer& program, const tuner::configuration& chosen) {
  const std::int64_t trial = common_.recorded.plan_candidate(common_.recorded.key(where_, chosen, timed));
  if (!common_.asked_by.wants_stop() && common_.recorded.claim(trial)) {
    common_.asked_by.tell(fmt::format("{} on {}: {}", program.name, where_.loaded.record.name, chosen.label()));
    common_.recorded.finish_with(trial, [&] { return runner_.run_peer(chosen, 1); });
  }
  return common_.recorded.median(trial);
}

}  // namespace mlmq::compare
