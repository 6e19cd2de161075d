// SPDX-License-Identifier: Apache-2.0
// A complete sweep, from the experiment file to the summary: workloads, plan, run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/plan_size.hpp"
#include "tuner/problem.hpp"
#include "tuner/shard.hpp"
#include "tuner/strategy.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/sweep_statistics.hpp"

namespace mlmq::tuner {

/// Parses "crashed,timeout"; "failed" means every outcome except ok. @throws input_error for an unknown outcome and for
/// ok
[[nodiscard]] std::vector<db::outcome> parse_failures(std::string_view text);

struct retried_trials {
  std::map<db::outcome, std::size_t> again;  ///< trials that are pending again, by former outcome
  /// Number of trials that were not reset because they failed with other kernel code. The plan has new trials for the
  /// current code.
  std::size_t of_other_code = 0;
};

/// Resets finished trials with these outcomes to pending: those of the plan's experiment, devices and workloads in
/// `part`.
/// @param learns whether the experiment's strategy learns; a shard then consists of whole workloads
[[nodiscard]] retried_trials retry_failed(const sweep_plan& plan, const problem& problem, db::store& store,
                                          const shard& part, bool learns, std::span<const db::outcome> outcomes);

struct sweep_request {
  std::filesystem::path experiment;                   ///< experiment file
  std::vector<std::string> workloads = {};            ///< override the experiment's; see list_workloads
  std::filesystem::path database = "results.sqlite";  ///< created if missing
  /// Workload options for all files whose entry does not set them; see list_workloads.
  std::map<std::string, std::string> file_options = {};
  std::function<bool(const input_error&)> leave_out = {};      ///< see planning_settings
  std::function<bool(const input_error&)> refuse = {};         ///< see planning_settings
  workload_cache* cache = nullptr;                             ///< may be null; must outlive the sweep
  bool leave_out_unfit = false;                                ///< do not plan configurations that no device can run
  std::string device = "auto";                                 ///< see backends::list_devices
  unsigned workers = 0;                                        ///< processes per modelled device; 0: one
  shard part = {};                                             ///< part of the sweep to measure
  std::vector<db::outcome> retry = {};                         ///< outcomes whose trials are measured again
  std::uint64_t most_trials = default_most_trials;             ///< limit per kind of device
  double grace_s = 10;                                         ///< see supervisor_options
  std::vector<std::string> worker_command = {};                ///< see supervisor_options::command
  std::map<std::string, std::string> worker_environment = {};  ///< see set_worker_environment()
  /// Creates the problem of the experiment file. @throws input_error for an unknown name
  std::function<std::unique_ptr<problem>(const experiment_file&)> make_problem;
  /// @throws input_error for settings that make_guide cannot handle. Empty: no check
  std::function<void(const strategy_settings&, const problem&)> check_guide = {};
  /// Returns the guide of a learning strategy for a workload and a device. Empty: no guide
  std::function<strategy_guide(const strategy_settings&, const problem&, const db::workload_record&,
                               const backends::device_info&)>
      make_guide = {};
};

/// Observes a sweep. Called by the thread that runs the sweep, except for planning().
class sweep_observer {
 public:
  virtual ~sweep_observer() = default;
  /// Reports a step of the planning. Called by any thread, one call at a time.
  virtual void planning(const std::string& step) { (void)step; }
  /// The plan is recorded. From here on a stop loses no work.
  virtual void planned(const sweep_plan& plan, const retried_trials& retried) {
    (void)plan;
    (void)retried;
  }
  /// No further trial runs. The plan also has the workloads that were read while others were measured.
  virtual void finished(const sweep_plan& plan) { (void)plan; }
  /// Called after every trial and while waiting for a worker.
  virtual void progressed(const sweep_progress& now) { (void)now; }
  /// Polled while trials run. Returning true ends the sweep after the running trials.
  virtual bool wants_stop() { return false; }
};

class sweep {
 public:
  /// Reads and checks the experiment, before any database is created.
  /// @throws input_error
  explicit sweep(sweep_request request);

  [[nodiscard]] const experiment_file& experiment() const { return experiment_; }
  [[nodiscard]] const problem& tuned_problem() const { return *problem_; }
  /// Returns the workloads of the shard, in the order of the experiment.
  [[nodiscard]] const std::vector<workload_input>& workloads() const { return workloads_; }
  [[nodiscard]] const plan_size& size() const { return size_; }
  /// @throws input_error if the sweep is larger than the request allows
  void require_allowed() const { require_at_most(request_.most_trials, size_, experiment_); }
  /// Returns one device per worker. @throws input_error for a missing device
  [[nodiscard]] const std::vector<backends::device_info>& devices();

  /// Sets supervisor_options::environment, which may depend on the devices.
  void set_worker_environment(std::map<std::string, std::string> environment) {
    request_.worker_environment = std::move(environment);
  }

  /// Measures the missing trials. @throws like require_allowed(), devices(), plan_sweep() and supervise()
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
