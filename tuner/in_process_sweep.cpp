// SPDX-License-Identifier: Apache-2.0
#include "tuner/in_process_sweep.hpp"

#include <optional>
#include <utility>

#include "db/worker.hpp"
#include "tuner/measurement.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/sweep_worker.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::tuner {
namespace {

/// Connects the worker directly to the supervisor's state.
class in_process_link final : public worker_link {
 public:
  in_process_link(sweep_statistics& statistics, tuning_runs& runs, const in_process_options& options)
      : statistics_(statistics), runs_(runs), options_(options) {}

  void send(const worker_event& event) override {
    // Serialise and parse the event as in a real connection.
    const worker_event arrived = worker_event::from_line(event.to_line()).value();
    if (arrived.type == worker_event::kind::lost) lost_ = arrived;
    if (arrived.type == worker_event::kind::step) steps_.push_back(arrived);
    if (statistics_.note(0, arrived) && options_.on_progress) options_.on_progress(statistics_.progress());
  }
  [[nodiscard]] bool stop_requested() override {
    return stopped_ = options_.stop_requested && options_.stop_requested();
  }
  [[nodiscard]] bool wait_for_more() override { return runs_.advance(); }

  [[nodiscard]] bool stopped() const noexcept { return stopped_; }
  /// Returns the event that the worker sent before it lost its device.
  [[nodiscard]] const worker_event& lost() const { return lost_.value(); }
  [[nodiscard]] std::vector<worker_event> take_steps() { return std::move(steps_); }

 private:
  sweep_statistics& statistics_;
  tuning_runs& runs_;
  const in_process_options& options_;
  bool stopped_ = false;
  std::optional<worker_event> lost_;
  std::vector<worker_event> steps_;
};

}  // namespace

in_process_summary sweep_in_process(const experiment_file& experiment, const problem& problem,
                                    backends::backend& device, db::store& store, const in_process_options& options) {
  const auto workloads = workloads_of(options.part, problem, list_workloads(experiment, problem, options.workloads));
  worker_task task;
  const growing_plan growing(experiment, problem, std::vector{device.info()}, store, workloads, options.part, {});
  task.plan = growing.plan();
  task.device = device.info().selector;
  tuning_runs runs(task.plan, std::span(&device.info(), 1), experiment, problem, store, options.guide);
  (void)runs.advance();
  sweep_statistics statistics(store, growing, &runs, {task.device});
  in_process_link link(statistics, runs, options);
  try {
    run_worker(task, experiment, problem, device, store, link);
  } catch (const device_lost&) {
    db::worker_death death;
    death.result = link.lost().outcome;
    death.message = link.lost().text;
    store.charge(db::this_worker(), death);
    throw;
  }
  in_process_summary summary{statistics.summary(), task.plan.devices.at(0), link.take_steps()};
  summary.interrupted = link.stopped();
  return summary;
}

}  // namespace mlmq::tuner
