// SPDX-License-Identifier: Apache-2.0
// A sweep from the experiment file to the summary: workloads, plan, run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/plan_size.hpp"
#include "tuner/problem.hpp"
#include "tuner/retry.hpp"
#include "tuner/shard.hpp"
#include "tuner/strategy.hpp"
#include "tuner/sweep_tally.hpp"

namespace mlmq::tuner {

struct sweep_request {
  std::filesystem::path experiment;                   ///< file
  std::vector<std::string> workloads = {};            ///< instead of the experiment's; see list_workloads
  std::filesystem::path database = "results.sqlite";  ///< made when it is missing
  /// Options of the kind for every workload that is a file and whose entry leaves them open; see list_workloads.
  std::map<std::string, std::string> file_options = {};
  std::function<bool(const input_error&)> leave_out = {};      ///< see planning_settings
  bool leave_out_unfit = false;  ///< configurations that no device can run are not planned
  std::string device = "auto";                                 ///< see backends::list_devices
  unsigned workers = 0;                                        ///< processes for one device that is modelled; 0: one
  shard part = {};                                             ///< what is measured here
  std::vector<db::outcome> retry = {};                         ///< finished trials with these are measured again
  std::uint64_t most_trials = default_most_trials;             ///< on one kind of device
  double grace_s = 10;                                         ///< see supervisor_options
  std::vector<std::string> worker_command = {};                ///< as supervisor_options::command
  std::map<std::string, std::string> worker_environment = {};  ///< see set_worker_environment()
  /// @throws input_error when there is no problem of this name
  std::function<std::unique_ptr<problem>(const std::string&)> make_problem;
  /// @throws input_error for settings that no guide can be made for. Empty: nothing is checked
  std::function<void(const strategy_settings&, const problem&)> check_guide = {};
  /// What a strategy that learns may use on a workload and a device. Empty: nothing
  std::function<strategy_guide(const strategy_settings&, const problem&, const db::workload_record&,
                               const backends::device_info&)>
      make_guide = {};
};

/// Is told what a sweep does. All by the thread that runs it, but planning().
class sweep_observer {
 public:
  virtual ~sweep_observer() = default;
  /// What is read and recorded; one call at a time, by any thread.
  virtual void planning(const std::string& what) { (void)what; }
  /// Everything is recorded. From here on a stop loses nothing that was begun.
  virtual void planned(const sweep_plan& plan, const retried_trials& retried) {
    (void)plan;
    (void)retried;
  }
  /// After every trial, and while a worker is waited for.
  virtual void progressed(const sweep_progress& now) { (void)now; }
  /// Asked all the time while trials run. True: those at hand are finished, then the sweep ends.
  virtual bool wants_stop() { return false; }
};

class sweep {
 public:
  /// Reads the experiment and finds out what it means: mistakes show before a database is made for them.
  /// @throws input_error
  explicit sweep(sweep_request request);

  [[nodiscard]] const experiment_file& experiment() const { return experiment_; }
  [[nodiscard]] const problem& of() const { return *problem_; }
  /// Of the part that is measured here, in the order of the experiment.
  [[nodiscard]] const std::vector<workload_input>& workloads() const { return workloads_; }
  [[nodiscard]] const plan_size& size() const { return size_; }
  /// @throws input_error when there is more to measure than the request allows
  void require_allowed() const { require_at_most(request_.most_trials, size_, experiment_); }
  /// One for each worker. @throws input_error for a device that is not here
  [[nodiscard]] const std::vector<backends::device_info>& devices();

  /// As supervisor_options::environment, where it depends on the devices.
  void set_worker_environment(std::map<std::string, std::string> environment) {
    request_.worker_environment = std::move(environment);
  }

  /// Measures what the database lacks. @throws as require_allowed(), devices(), plan_sweep() and supervise()
  [[nodiscard]] sweep_summary run(sweep_observer& observer);

 private:
  sweep_request request_;
  experiment_file experiment_;
  std::unique_ptr<problem> problem_;
  std::vector<workload_input> workloads_;
  plan_size size_;
  std::vector<backends::device_info> devices_;
};

}  // namespace mlmq::tuner
