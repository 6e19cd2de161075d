// SPDX-License-Identifier: Apache-2.0
#include "tuner/retry.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "db/retry.hpp"

namespace mlmq::tuner {

std::vector<db::outcome> parse_failures(std::string_view text) {
  std::vector<db::outcome> outcomes;
  for (const std::string& name : split(text, ',')) {
    if (name == "failed") {
      outcomes.assign(db::all_outcomes.begin(), db::all_outcomes.end());
      std::erase(outcomes, db::outcome::ok);
      return outcomes;
    }
    outcomes.push_back(db::outcome_from(name));
    if (outcomes.back() == db::outcome::ok)
      throw input_error("'ok' is not a failure: only failed trials can be repeated");
  }
  return outcomes;
}

retried_trials retry_failed(const sweep_plan& plan, const problem& problem, db::store& store, const shard& part,
                            bool learns, std::span<const db::outcome> outcomes) {
  retried_trials retried;
  std::vector<std::int64_t> ids;
  const auto planned = [&](const db::failed_trial& trial) {
    return std::find(plan.devices.begin(), plan.devices.end(), trial.device) != plan.devices.end() &&
           std::any_of(plan.workloads.begin(), plan.workloads.end(),
                       [&](const planned_workload& workload) { return workload.row == trial.workload; }) &&
           (learns ? part.has_workload(trial.workload_hash)
                   : part.has(trial.workload_hash, trial.query, trial.configuration_hash));
  };
  for (const db::failed_trial& trial : db::failed_trials(store, plan.experiment, outcomes)) {
    if (!planned(trial)) continue;
    // A trial names the kernel code that it measures; new code must not be recorded under the old hash.
    if (problem.source_hash(configuration::from_json(trial.parameters_json)) != trial.kernel_source_hash) {
      ++retried.of_other_code;
      continue;
    }
    ids.push_back(trial.id);
    ++retried.again[trial.result];
  }
  db::retry(store, plan.experiment, ids);
  return retried;
}

}  // namespace mlmq::tuner
