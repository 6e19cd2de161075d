// SPDX-License-Identifier: Apache-2.0
#include "tuner/sweep.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "db/retry.hpp"
#include "db/store.hpp"
#include "tuner/metrics.hpp"
#include "tuner/search_space.hpp"
#include "tuner/supervisor.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/tuning_runs.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::tuner {
namespace {

std::unique_ptr<problem> problem_of(const experiment_file& experiment, const sweep_request& request) {
  try {
    return request.make_problem(experiment);
  } catch (const input_error& error) {
    if (std::string_view(error.what()).starts_with(experiment.file.string() + ':')) throw;
    throw input_error(experiment.problem_place.prefix() + error.what());
  }
}

}  // namespace

sweep::sweep(sweep_request request)
    : request_(std::move(request)),
      experiment_(load_experiment(request_.experiment)),
      problem_(problem_of(experiment_, request_)) {
  check_strategy(experiment_.strategy);
  if (request_.check_guide) request_.check_guide(experiment_.strategy, *problem_);
  const search_space space(experiment_.space, problem_->declarations(), problem_->presets());
  const std::vector<workload_input> all_workloads =
      list_workloads(experiment_, *problem_, request_.workloads, request_.file_options);
  workloads_ = workloads_of(request_.part, *problem_, all_workloads);
  size_ = size_of_plan(experiment_, space, *problem_, workloads_, request_.part);
}

const std::vector<backends::device_info>& sweep::devices() {
  if (devices_.empty()) {
    for (const std::string& selector : backends::list_devices(request_.device, request_.workers)) {
      devices_.push_back(backends::inspect_device(selector));
    }
  }
  return devices_;
}

sweep_summary sweep::run(sweep_observer& observer) {
  require_allowed();
  (void)devices();
  auto store = db::store::open(request_.database, db::open_mode::read_write_create);
  planning_settings planning{.most_trials = request_.most_trials,
                             .on_progress = [&](const std::string& step) { observer.planning(step); },
                             .leave_out = request_.leave_out,
                             .refuse = request_.refuse,
                             .unfit_reason = {},
                             .cache = request_.cache};
  if (request_.leave_out_unfit) {
    planning.unfit_reason = [this](const configuration& chosen) {
      std::string reason;
      for (const backends::device_info& device : devices_) {
        reason = problem_->unfit_reason(chosen, device);
        if (reason.empty()) break;
      }
      return reason;
    };
  }
  // Reading would slow down searches on processors.
  const bool reads_beside =
      std::all_of(devices_.begin(), devices_.end(), [](const backends::device_info& device) { return device.grid; });
  planning.read_while_measuring = reads_beside && !experiment_.strategy.learns() && request_.retry.empty() &&
                                  !request_.leave_out && request_.cache == nullptr;
  planning.share_workloads = reads_beside;
  growing_plan growing(experiment_, *problem_, devices_, store, workloads_, request_.part, planning);
  const sweep_plan& plan = growing.plan();
  const auto record_metrics = [&] {
    std::vector<std::int64_t> workload_rows;
    for (const auto& workload : plan.workloads) workload_rows.push_back(workload.row);
    update_metrics(experiment_, *problem_, store, plan.experiment, workload_rows);
  };
  record_metrics();  // an invalid formula is an error before anything is measured
  const retried_trials retried =
      retry_failed(plan, *problem_, store, request_.part, experiment_.strategy.learns(), request_.retry);
  guide_maker guide;
  if (request_.make_guide) {
    guide = [this](const db::workload_record& workload, const backends::device_info& device) {
      return request_.make_guide(experiment_.strategy, *problem_, workload, device);
    };
  }
  tuning_runs runs(plan, devices_, experiment_, *problem_, store, guide);
  observer.planned(plan, retried);
  sweep_summary summary = supervise(growing, store,
                                    {.command = request_.worker_command,
                                     .environment = request_.worker_environment,
                                     .database = std::filesystem::absolute(request_.database).string(),
                                     .experiment_file = request_.experiment.string(),
                                     .devices = devices_,
                                     .grace_s = request_.grace_s,
                                     .runs = &runs,
                                     .on_progress = [&](const sweep_progress& now) { observer.progressed(now); },
                                     .stop_requested = [&] { return observer.wants_stop(); }});
  record_metrics();
  observer.finished(plan);
  return summary;
}

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
    const std::string sources = problem.source_hash(configuration::from_json(trial.parameters_json));
    if (store.recorded_code(sources) != trial.kernel_source_hash) {
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
