// SPDX-License-Identifier: Apache-2.0
#include "tuner/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "db/store.hpp"
#include "tuner/search_space.hpp"
#include "tuner/supervisor.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/tuning_runs.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::tuner {
namespace {

std::unique_ptr<problem> problem_of(const experiment_file& experiment, const sweep_request& request) {
  try {
    return request.make_problem(experiment.problem);
  } catch (const input_error& error) {
    throw input_error(experiment.problem_place.prefix() + error.what());
  }
}

/// @throws input_error for an option that the kind does not have, and when no workload is a file
void set_file_options(std::vector<workload_input>& workloads, const std::map<std::string, std::string>& options,
                      const workload_kind& kind) {
  for (const auto& option : options) {
    const std::string& name = option.first;
    const auto known = kind.options();
    if (std::none_of(known.begin(), known.end(), [&](const named_meaning& one) { return one.name == name; }))
      throw input_error(fmt::format("{}: a {} has no such option", name, kind.name()));
    bool is_used = false;
    for (workload_input& one : workloads) {
      if (one.file.empty()) continue;
      one.options[name] = option.second;
      is_used = true;
    }
    if (!is_used) throw input_error(fmt::format("{} says how to read a file, and no workload is one", name));
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
  std::vector<workload_input> all = list_workloads(experiment_, *problem_, request_.workloads);
  set_file_options(all, request_.file_options, problem_->workloads());
  workloads_ = workloads_of(request_.part, *problem_, all);
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
  const planning_settings planning{.most_trials = request_.most_trials,
                                   .on_progress = [&](const std::string& what) { observer.planning(what); },
                                   .leave_out = request_.leave_out};
  const sweep_plan plan = plan_sweep(experiment_, *problem_, devices_, store, workloads_, request_.part, planning);
  const retried_trials retried =
      retry_failed(plan, *problem_, store, request_.part, experiment_.strategy.learns(), request_.retry);
  guide_maker guide;
  if (request_.make_guide) {
    guide = [this](const db::workload_record& on) { return request_.make_guide(experiment_.strategy, *problem_, on); };
  }
  tuning_runs runs(plan, experiment_, *problem_, store, guide);
  observer.planned(plan, retried);
  return supervise(plan, store,
                   {.command = request_.worker_command,
                    .environment = request_.worker_environment,
                    .database = std::filesystem::absolute(request_.database).string(),
                    .experiment_file = request_.experiment.string(),
                    .devices = devices_,
                    .grace_s = request_.grace_s,
                    .runs = &runs,
                    .on_progress = [&](const sweep_progress& now) { observer.progressed(now); },
                    .stop_requested = [&] { return observer.wants_stop(); }});
}

}  // namespace mlmq::tuner
