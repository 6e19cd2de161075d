// SPDX-License-Identifier: Apache-2.0
#include "tuner/tuning_runs.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "db/finals.hpp"
#include "tuner/metrics.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {
namespace {

/// Open tuning runs for each worker of a device for which variants are compiled. A variant takes as long to compile as
/// the trials of some other runs.
constexpr std::size_t runs_of_worker = 16;
/// The workloads of open runs use at most this part of the device's memory, half of what workers keep there.
constexpr std::uint64_t memory_parts = 4;

}  // namespace

tuning_runs::tuning_runs(const sweep_plan& plan, std::span<const backends::device_info> devices,
                         const experiment_file& experiment, const problem& tuned, db::store& store, guide_maker guide)
    : plan_(plan),
      experiment_(experiment),
      problem_(tuned),
      store_(store),
      guide_(std::move(guide)),
      space_(experiment.space, tuned.declarations(), tuned.presets()),
      parameters_(check_against(experiment.space, tuned.declarations()), tuned.presets()) {
  for (std::size_t i = 0; i < plan.devices.size(); ++i) {
    auto entry = std::ranges::find(devices_, plan.devices[i], &device_runs::row);
    if (entry == devices_.end()) {
      devices_.push_back({.row = plan.devices[i], .info = devices[i], .open = {}});
      entry = std::prev(devices_.end());
    }
    ++entry->workers;
    entry->open.resize(entry->workers * (entry->info.grid ? runs_of_worker : 1));
  }
}

bool tuning_runs::unfinished() const {
  return std::ranges::any_of(devices_, [&](const device_runs& device) {
    return device.next < plan_.runs.size() ||
           std::ranges::any_of(device.open, [](const auto& slot) { return slot.has_value(); });
  });
}

std::optional<std::uint64_t> tuning_runs::unplanned_trials() const {
  const std::optional<std::uint64_t> most = experiment_.strategy.most_evaluations(space_);
  if (!most) return std::nullopt;
  const std::size_t measurements = measurements_of(experiment_.measurement).size();
  std::uint64_t trials = 0;
  for (const device_runs& device : devices_) {
    for (std::size_t i = device.next; i < plan_.runs.size(); ++i) {
      trials += *most * plan_.runs[i].queries.size() * measurements;
    }
    for (const std::optional<open_run>& slot : device.open) {
      if (!slot) continue;
      const std::uint64_t proposed = std::min(*most, slot->run.proposed_configurations());
      trials += (*most - proposed) * slot->tuning->queries.size() * measurements;
    }
  }
  return trials;
}

double tuning_runs::spent_budget() const {
  const std::size_t run_count = plan_.runs.size() * devices_.size();
  if (run_count == 0) return 1;
  double spent = 0;
  for (const device_runs& device : devices_) {
    spent += static_cast<double>(device.next);
    for (const std::optional<open_run>& slot : device.open) {
      if (slot) spent -= 1 - slot->run.progress();
    }
  }
  return spent / static_cast<double>(run_count);
}

bool tuning_runs::advance() {
  bool planned = false;
  for (std::vector<waiting_run> waiting = runs_to_propose(); !waiting.empty(); waiting = runs_to_propose()) {
    // A proposal takes milliseconds, as long as a trial, and runs share nothing until it is planned.
    std::atomic<std::size_t> next = 0;
    const auto propose = [&] {
      for (std::size_t i = next++; i < waiting.size(); i = next++) (*waiting[i].slot)->run.propose();
    };
    const std::size_t most_threads = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::future<void>> threads;
    while (threads.size() < std::min(waiting.size(), most_threads))
      threads.push_back(std::async(std::launch::async, propose));
    for (std::future<void>& thread : threads) thread.get();
    for (const auto& [device, slot] : waiting) {
      if ((*slot)->run.plan()) {
        planned = true;
        continue;
      }
      planned |= add_finals(*device, *(*slot)->tuning);
      slot->reset();
    }
  }
  return planned;
}

std::vector<tuning_runs::waiting_run> tuning_runs::runs_to_propose() {
  std::vector<waiting_run> waiting;
  for (device_runs& device : devices_) {
    for (std::optional<open_run>& slot : device.open) {
      if (!slot && device.next < plan_.runs.size() && has_room(device, slot))
        slot.emplace(begin(device, plan_.runs[device.next++]));
      if (slot && slot->run.collect()) waiting.push_back({&device, &slot});
    }
  }
  return waiting;
}

bool tuning_runs::has_room(const device_runs& device, const std::optional<open_run>& slot) const {
  std::size_t open = 0;
  std::uint64_t bytes = plan_.runs[device.next].record.bytes;
  for (const std::optional<open_run>& other : device.open) {
    if (&other == &slot || !other) continue;
    ++open;
    bytes += other->tuning->record.bytes;
  }
  return open < device.workers || bytes <= device.info.memory_bytes / memory_parts;
}

tuning_runs::open_run tuning_runs::begin(const device_runs& device, const planned_tuning& tuning) const {
  const strategy_settings& settings = experiment_.strategy;
  std::function<std::optional<double>(std::int64_t)> cost;
  if (!experiment_.objectives.front().is_time()) {
    auto metrics = std::make_shared<const workload_metrics>(experiment_.metrics, parameters_, problem_,
                                                            store_.workload(tuning.workload));
    cost = [this, metrics = std::move(metrics)](std::int64_t trial) {
      record_metrics(*metrics, store_, plan_.experiment, trial);
      return db::trial_cost(store_, experiment_.objectives.front(), trial);
    };
  }
  // Each run has a space, because a space must not be used by two threads at once.
  auto space = std::make_unique<const search_space>(
      space_.depends_on_sizes() ? space_of(experiment_, problem_, tuning.input).value()
                                : search_space(experiment_.space, problem_.declarations(), problem_.presets()));
  auto proposer = make_strategy(settings, *space, guide_ ? guide_(tuning.record, device.info) : strategy_guide{});
  return {&tuning, std::move(space),
          tuning_run(store_, problem_,
                     {.experiment = plan_.experiment,
                      .device = device.row,
                      .workload = tuning.workload,
                      .queries = tuning.queries,
                      .measurements = measurements_of(experiment_.measurement),
                      .batch = settings.batch.value_or(1),
                      .cost = std::move(cost)},
                     std::move(proposer))};
}

bool tuning_runs::add_finals(const device_runs& device, const planned_tuning& tuning) {
  if (experiment_.measurement.finalists == 0) return false;
  std::vector<db::final_key> keys;
  for (const std::string& query : tuning.queries) keys.push_back({tuning.workload, query, device.row});
  return db::plan_finals(store_, plan_.experiment, keys) > 0;
}

tuning_run::tuning_run(db::store& store, const problem& problem, scope run_scope, std::unique_ptr<strategy> chosen)
    : store_(store), problem_(problem), scope_(std::move(run_scope)), strategy_(std::move(chosen)) {}

bool tuning_run::collect() {
  results_.clear();
  for (const attempt& entry : batch_) {
    const auto evaluated = result(entry);
    if (!evaluated) return false;
    results_.push_back(*evaluated);
  }
  return true;
}

void tuning_run::propose() {
  for (std::size_t i = 0; i < batch_.size(); ++i) strategy_->report(batch_[i].proposed, results_[i]);
  batch_.clear();
  while (batch_.size() < scope_.batch) {
    auto proposed = strategy_->next();
    if (!proposed) break;
    batch_.push_back({*std::move(proposed), {}, {}});
  }
}

bool tuning_run::plan() {
  trials_.clear();
  std::vector<db::configuration_record> records;
  for (const attempt& entry : batch_) {
    records.push_back(
        {.problem = problem_.name(), .parameters_json = entry.proposed.to_json(), .label = entry.proposed.label()});
    ++proposed_configurations_;
  }
  const std::vector<std::int64_t> rows = store_.put_configurations(records);
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    attempt& entry = batch_[i];
    const std::string code = store_.recorded_code(problem_.source_hash(entry.proposed));
    std::vector<db::trial_key> keys;
    for (const std::string& measurement : scope_.measurements) {
      for (const std::string& query : scope_.queries) {
        keys.push_back({.workload = scope_.workload,
                        .configuration = rows[i],
                        .device = scope_.device,
                        .query = query,
                        .kernel_source_hash = code,
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
  return !batch_.empty();
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
