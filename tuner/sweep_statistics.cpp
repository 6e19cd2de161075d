// SPDX-License-Identifier: Apache-2.0
#include "tuner/sweep_statistics.hpp"

#include <algorithm>

#include "base/stopwatch.hpp"

namespace mlmq::tuner {
namespace {

void add(variant_cache::statistics& sum, const variant_cache::statistics& more) {
  sum.variants += more.variants;
  sum.from_disk += more.from_disk;
  sum.compile_ms += more.compile_ms;
  sum.longest_ms = std::max(sum.longest_ms, more.longest_ms);
  sum.waited_ms += more.waited_ms;
}

}  // namespace

sweep_statistics::sweep_statistics(const db::store& store, const growing_plan& plan, const tuning_runs* runs,
                                   std::vector<std::string> selectors)
    : store_(store), growing_(plan), plan_(plan.plan()), runs_(runs) {
  for (std::string& selector : selectors) {
    slots_.emplace_back();
    slots_.back().selector = std::move(selector);
  }
  progress_.criterion = db::objectives_of(store_.access(), plan_.experiment).front();
  (void)refresh();
}

db::progress sweep_statistics::refresh() {
  db::progress now = store_.experiment_progress(plan_.experiment);
  count_total(now);
  progress_.done = now.done;
  return now;
}

/// Updates the total; tuning runs plan their trials in batches, a growing plan workload by workload.
void sweep_statistics::count_total(const db::progress& recorded) {
  progress_.total = recorded.total + growing_.unplanned_trials();
  if (runs_ == nullptr || plan_.runs.empty()) return;
  if (const std::optional<std::uint64_t> unplanned = runs_->unplanned_trials()) {
    progress_.total += *unplanned;
  } else {
    progress_.spent_budget = runs_->spent_budget();
  }
}

void sweep_statistics::note_planned() {
  count_total(store_.experiment_progress(plan_.experiment));
  if (!has_begun_) progress_.spent_before = std::max(0.0, progress_.spent_budget);
  has_begun_ = true;
}

/// Returns the cost of a finished trial by the objective; nothing unless it was timed and its answer is right.
std::optional<double> sweep_statistics::cost_of(const worker_event& event) const {
  if (event.milliseconds <= 0) return std::nullopt;
  if (progress_.criterion == db::objective{}) return event.milliseconds;
  return db::trial_cost(store_, progress_.criterion, event.trial);
}

bool sweep_statistics::note(std::size_t slot, const worker_event& event) {
  if (event.type == worker_event::kind::step || event.type == worker_event::kind::beat) return false;
  slot_state& state = slots_.at(slot);
  state.last.times = event.times;
  state.last.variants = event.variants;
  state.kernels_ms += event.kernels_ms;
  if (event.type == worker_event::kind::final_done) ++progress_.finals;
  if (event.type != worker_event::kind::trial_done) return false;
  best_so_far& best = best_[{event.workload, event.query}];
  if (const std::optional<double> cost = cost_of(event); cost && (!best.cost || *cost < *best.cost)) {
    best = {.cost = cost, .label = event.text};
  }
  progress_.workload = event.workload;
  progress_.best_value = best.cost ? std::optional(progress_.criterion.value_of(*best.cost)) : std::nullopt;
  progress_.best_label = best.label;
  note_recorded(event.outcome, 1);
  return true;
}

void sweep_statistics::note_recorded(db::outcome outcome, std::size_t count) {
  if (count == 0) return;
  // The first result of changed kernel code replaces earlier results.
  if (progress_.measured == 0) {
    const db::progress now = refresh();
    progress_.done = now.done - std::min(now.done, count);
  }
  progress_.outcomes[outcome] += count;
  progress_.measured += count;
  progress_.done = std::min(progress_.done + count, progress_.total);
  progress_.elapsed_s = milliseconds_since(start_) / 1000;
}

void sweep_statistics::close_slot(std::size_t slot) {
  slot_state& state = slots_.at(slot);
  state.earlier += state.last.times;
  add(variants_, state.last.variants);
  state.last = {};
}

sweep_summary sweep_statistics::summary() {
  sweep_summary result;
  result.outcomes = refresh().outcomes;
  result.experiment = plan_.experiment;
  result.other_code = db::count_hidden_trials(store_, plan_.experiment);
  result.progress = progress_;
  result.total_ms = milliseconds_since(start_);
  result.load_ms = plan_.load_ms;
  result.variants = variants_;
  for (const slot_state& state : slots_) {
    add(result.variants, state.last.variants);
    db::session_times times = state.earlier;
    times += state.last.times;
    result.devices.push_back({.selector = state.selector, .times = times, .kernels_ms = state.kernels_ms});
  }
  return result;
}

}  // namespace mlmq::tuner
