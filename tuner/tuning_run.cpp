// SPDX-License-Identifier: Apache-2.0
#include "tuner/tuning_run.hpp"

#include <utility>

namespace mlmq::tuner {

tuning_run::tuning_run(db::store& store, const problem& problem, scope run_scope, std::unique_ptr<strategy> chosen)
    : store_(store), problem_(problem), scope_(std::move(run_scope)), strategy_(std::move(chosen)) {}

bool tuning_run::advance() {
  for (;;) {
    std::vector<evaluation> results;
    for (const attempt& entry : batch_) {
      const auto evaluated = result(entry);
      if (!evaluated) return true;
      results.push_back(*evaluated);
    }
    for (std::size_t i = 0; i < batch_.size(); ++i) strategy_->report(batch_[i].proposed, results[i]);
    propose();
    if (batch_.empty()) return false;
  }
}

void tuning_run::propose() {
  batch_.clear();
  trials_.clear();
  std::vector<db::configuration_record> records;
  while (batch_.size() < scope_.batch) {
    auto proposed = strategy_->next();
    if (!proposed) break;
    records.push_back({.problem = problem_.name(), .parameters_json = proposed->to_json(), .label = proposed->label()});
    batch_.push_back({*std::move(proposed), {}, {}});
    ++proposed_configurations_;
  }
  const std::vector<std::int64_t> rows = store_.put_configurations(records);
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    attempt& entry = batch_[i];
    std::vector<db::trial_key> keys;
    for (const std::string& measurement : scope_.measurements) {
      for (const std::string& query : scope_.queries) {
        keys.push_back({.workload = scope_.workload,
                        .configuration = rows[i],
                        .device = scope_.device,
                        .query = query,
                        .kernel_source_hash = problem_.source_hash(entry.proposed),
                        .measurement = measurement});
      }
    }
    store_.plan(scope_.experiment, keys);
    for (const db::trial_key& key : keys) {
      const std::int64_t trial = store_.find_trial(key).value();
      (key.measurement == "time" ? entry.timed : entry.others).push_back(trial);
      trials_.push_back(trial);
    }
  }
}

std::optional<evaluation> tuning_run::result(const attempt& entry) const {
  evaluation mean{.cost = 0.0};
  for (const std::int64_t trial : entry.others) {
    const auto summary = store_.summary(trial);
    if (!summary) return std::nullopt;
    mean.seconds += summary->seconds;
  }
  // The result is the mean cost over the queries, or a failure if one of them failed.
  for (const std::int64_t trial : entry.timed) {
    const auto summary = store_.summary(trial);
    if (!summary) return std::nullopt;
    mean.seconds += summary->seconds;
    std::optional<double> cost = summary->median_ms;
    if (cost && scope_.cost) cost = scope_.cost(trial);
    if (cost && mean.cost) {
      *mean.cost += *cost / static_cast<double>(entry.timed.size());
    } else {
      mean.cost.reset();
    }
  }
  return mean;
}

}  // namespace mlmq::tuner
