// SPDX-License-Identifier: Apache-2.0
// Plan of a sweep, written to the database before any worker starts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "base/error.hpp"
#include "db/store.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/plan_size.hpp"
#include "tuner/problem.hpp"
#include "tuner/shard.hpp"
#include "tuner/shared_workloads.hpp"
#include "tuner/workload_list.hpp"

namespace mlmq::tuner {

/// A workload of the sweep, with its row in the database.
struct planned_workload {
  std::int64_t row = 0;
  std::string hash;
  workload_input input;
  std::string shared_file = {};  ///< file of shared_workload that has it; empty: none
};

/// A workload that a learning strategy tunes.
struct planned_tuning {
  std::int64_t workload = 0;  ///< row
  workload_input input;
  db::workload_record record;
  std::vector<std::string> queries;
};

/// A configuration that no device of the sweep can run.
struct unfit_configuration {
  std::string label;
  std::string reason;
};

/// A workload that cannot be used.
struct left_out_workload {
  std::string file;
  std::string reason;  ///< with the file
};

struct sweep_plan {
  std::int64_t experiment = 0;
  std::int64_t host = 0;
  std::vector<std::int64_t> devices;  ///< database rows in the order of the devices; equal devices share a row
  std::vector<planned_workload> workloads;
  double load_ms = 0;  ///< reading and generating workloads
  /// Notes about the workloads, for users.
  std::vector<std::string> notes = {};
  /// In the order of the experiment.
  std::vector<left_out_workload> left_out = {};
  /// Configurations left out by planning_settings::unfit_reason.
  std::vector<unfit_configuration> unfit = {};
  /// Tuning runs, for the supervisor only. Empty unless the strategy learns.
  std::vector<planned_tuning> runs = {};
};

/// A workload that has been read: its record and the texts of its queries, without its data.
struct loaded_workload {
  workload_input input;
  db::workload_record record;
  std::vector<std::string> queries;
  std::vector<std::string> notes;
  std::shared_ptr<const shared_workload> shared = nullptr;  ///< null: not shared
};

/// Workloads that this process has read, for several sweeps of the same workloads. Planning adds those that it reads. A
/// file that changes in between fails its trials, since workers check the content.
using workload_cache = std::vector<loaded_workload>;

/// Limits and callbacks of planning.
struct planning_settings {
  std::uint64_t most_trials = default_most_trials;           ///< limit per kind of device
  std::function<void(const std::string&)> on_progress = {};  ///< called by any thread, one call at a time
  /// Returns whether to leave out a workload that cannot be read for this reason. Must be thread-safe. Empty: only
  /// those that the user has not named (workload_input::is_found).
  std::function<bool(const input_error&)> leave_out = {};
  /// Returns whether a workload that cannot be read for this reason ends the sweep even if the user has not named it.
  std::function<bool(const input_error&)> refuse = {};
  /// Returns why a configuration is left out of the plan, or "". Empty: none is left out. Not used for learning
  /// strategies.
  std::function<std::string(const configuration&)> unfit_reason = {};
  workload_cache* cache = nullptr;  ///< may be null
  /// Read most generated workloads while the first ones are measured. Only for growing_plan, and neither for learning
  /// strategies nor with `leave_out` or `cache`.
  bool read_while_measuring = false;
  /// Share the workloads that are read with other processes, while the growing_plan exists.
  bool share_workloads = false;
};

/// Reads all workloads of the shard, then records the experiment with its trials and finals. For a learning strategy,
/// tuning_runs plans the trials. Running trials of dead workers become pending again.
///
/// Configurations and trials are written in batches of some thousands and not kept in memory. An interrupted call
/// leaves part of the plan recorded; the next call adds the rest.
/// @param inputs workloads of the shard, from workloads_of()
/// @param part plan only trials (for a learning strategy: workloads) of this shard
/// @throws input_error for an invalid space or workload, if all workloads are left out, or for too many trials; nothing
///     is recorded then
[[nodiscard]] sweep_plan plan_sweep(const experiment_file& experiment, const problem& problem,
                                    std::span<const backends::device_info> devices, db::store& store,
                                    const std::vector<workload_input>& inputs, const shard& part = {},
                                    const planning_settings& settings = {});

/// Like plan_sweep(), but with planning_settings::read_while_measuring the plan grows while workers measure.
class growing_plan {
 public:
  /// @param experiment, problem, store must outlive the plan @throws like plan_sweep()
  growing_plan(const experiment_file& experiment, const problem& problem,
               std::span<const backends::device_info> devices, db::store& store,
               const std::vector<workload_input>& inputs, const shard& part, const planning_settings& settings);
  /// A plan that does not grow.
  explicit growing_plan(sweep_plan complete);
  growing_plan(const growing_plan&) = delete;
  growing_plan& operator=(const growing_plan&) = delete;
  /// Waits for the workloads that are being read; the others are not read.
  ~growing_plan();

  [[nodiscard]] const sweep_plan& plan() const { return plan_; }

  /// Plans the trials of the workloads that have been read since the last call.
  /// @param announce called with each workload before its trials are planned
  /// @return whether there were any
  /// @throws input_error for a workload that cannot be used
  bool advance(const std::function<void(const planned_workload&)>& announce);

  /// Returns whether workloads are still to be planned.
  [[nodiscard]] bool unfinished() const;
  /// Returns the expected number of trials on these workloads.
  [[nodiscard]] std::uint64_t unplanned_trials() const;

 private:
  class state;
  sweep_plan plan_;
  std::unique_ptr<state> state_;  // null for a complete plan
};

/// Returns the measurements of each configuration, which are separate trials; "time" is the first.
[[nodiscard]] std::vector<std::string> measurements_of(const measurement_settings& settings);

/// Returns the database record of a device.
[[nodiscard]] db::device_record describe_device(const backends::device_info& info);

}  // namespace mlmq::tuner
