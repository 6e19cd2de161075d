// SPDX-License-Identifier: Apache-2.0
// A sweep without processes: what the supervisor and one worker do, in one thread, on a device that the caller has.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/version.hpp"
#include "db/worker.hpp"
#include "tuner/measurement.hpp"
#include "tuner/sweep_tally.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/sweep_worker.hpp"
#include "tuner/tuning_runs.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::tuner {

struct in_process_options {
  std::vector<std::string> workloads;
  shard part;
  guide_maker guide;
  std::function<void(const sweep_progress&)> on_progress;
  std::function<bool()> stop_requested;
};

class in_process_link final : public worker_link {
 public:
  in_process_link(sweep_tally& tally, tuning_runs& runs, const in_process_options& options)
      : tally_(tally), runs_(runs), options_(options) {}
  void tell(const worker_event& event) override {
    // As it arrives at a supervisor.
    const worker_event arrived = worker_event::from_line(event.to_line()).value();
    if (arrived.what == worker_event::kind::lost) lost = arrived;
    if (arrived.what == worker_event::kind::step) steps.push_back(arrived);
    if (tally_.note(0, arrived) && options_.on_progress) options_.on_progress(tally_.progress());
  }
  [[nodiscard]] bool stop_requested() override {
    return stopped = options_.stop_requested && options_.stop_requested();
  }
  [[nodiscard]] bool wait_for_more() override { return runs_.advance(); }

  bool stopped = false;
  std::optional<worker_event> lost;
  std::vector<worker_event> steps;

 private:
  sweep_tally& tally_;
  tuning_runs& runs_;
  const in_process_options& options_;
};

struct in_process_summary : sweep_summary {
  std::int64_t device = 0;
  std::vector<worker_event> steps;
};

/// @throws device_lost, after the trial has been charged
inline in_process_summary sweep_in_process(const experiment_file& experiment, const problem& of,
                                           backends::backend& device, db::store& store,
                                           const in_process_options& options) {
  worker_task task;
  task.plan = plan_sweep(experiment, of, std::vector{device.info()}, store,
                         workloads_of(options.part, of, list_workloads(experiment, of, options.workloads)), options.part);
  task.device = device.info().selector;
  tuning_runs runs(task.plan, experiment, of, store, options.guide);
  (void)runs.advance();
  sweep_tally tally(store, task.plan, {task.device});
  in_process_link link(tally, runs, options);
  try {
    run_worker(task, experiment, of, device, store, link);
  } catch (const device_lost&) {
    db::worker_death death;
    death.result = link.lost.value().outcome;
    death.message = link.lost->text;
    store.charge(db::this_worker(), death);
    throw;
  }
  in_process_summary summary{tally.summary(), task.plan.devices.at(0), link.steps};
  summary.interrupted = link.stopped;
  return summary;
}

}  // namespace mlmq::tuner
