// SPDX-License-Identifier: Apache-2.0
// What a sweep has to measure, written into the database before any worker starts.
#pragma once

#include <cstdint>
#include <functional>
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
#include "tuner/workload_list.hpp"

namespace mlmq::tuner {

/// A workload of the sweep, by its row in the database.
struct planned_workload {
  std::int64_t row = 0;
  std::string hash;
  workload_input where;
};

/// A workload on which a strategy that learns has to choose.
struct planned_tuning {
  std::int64_t workload = 0;  ///< row
  db::workload_record record;
  std::vector<std::string> queries;
};

/// A configuration that no device of the sweep can run.
struct unfit_configuration {
  std::string label;
  std::string reason;
};

struct sweep_plan {
  std::int64_t experiment = 0;
  std::int64_t host = 0;
  std::vector<std::int64_t> devices;  ///< rows, in the order of the devices given; equal devices have one row
  std::vector<planned_workload> workloads;
  double load_ms = 0;  ///< reading and generating workloads
  /// What a person should know of the workloads, from their kinds.
  std::vector<std::string> notes = {};
  /// Those that planning_settings::leave_out has answered for, in the order of the experiment.
  std::vector<workload_input> left_out = {};
  /// Configurations that planning_settings::unfit_reason has left out.
  std::vector<unfit_configuration> unfit = {};
  /// For the supervisor; workers are not told. Empty unless the strategy learns.
  std::vector<planned_tuning> runs = {};
};

/// What planning may do, and whom it tells.
struct planning_settings {
  std::uint64_t most_trials = default_most_trials;           ///< on one kind of device
  std::function<void(const std::string&)> on_progress = {};  ///< what is done; one call at a time, by any thread
  /// Whether a workload that cannot be read for this reason is left out of the plan. Called by several threads at a time.
  /// Empty: none is
  std::function<bool(const input_error&)> leave_out = {};
  /// Returns why a configuration is left out of the plan; "" when it is not. Empty: none is. A strategy that learns proposes
  /// all of its own
  std::function<std::string(const configuration&)> unfit_reason = {};
};

/// Reads every workload of the part, then records the experiment with its trials and finals; those of a strategy that learns are for
/// tuning_runs to plan. What running trials of dead workers were is pending again.
/// @param wanted of the part, as workloads_of() gives them
/// @param part only trials (or, when the strategy learns, workloads) of this part are planned
/// Neither configurations nor trials are held in memory: they are written as they are listed, some thousands at a time.
/// Whoever is stopped in between has recorded a part of them, and plans the others when it is called again.
/// @throws input_error for a space or workload that cannot be used, also when all are left out, or too many trials: then
///   nothing is recorded
[[nodiscard]] sweep_plan plan_sweep(const experiment_file& experiment, const problem& of,
                                    std::span<const backends::device_info> devices, db::store& store,
                                    const std::vector<workload_input>& wanted, const shard& part = {},
                                    const planning_settings& settings = {});

/// What is measured of each configuration: trials of their own, the timed one first.
[[nodiscard]] std::vector<std::string> measurements_of(const measurement_settings& settings);

/// The record of a device in the database.
[[nodiscard]] db::device_record describe_device(const backends::device_info& info);

}  // namespace mlmq::tuner
