// SPDX-License-Identifier: Apache-2.0
// A sweep without worker processes: supervisor and worker run in the calling thread, on the caller's device.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "db/store.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"
#include "tuner/shard.hpp"
#include "tuner/sweep_statistics.hpp"
#include "tuner/tuning_runs.hpp"
#include "tuner/worker_link.hpp"

namespace mlmq::tuner {

struct in_process_options {
  std::vector<std::string> workloads = {};                      ///< override the experiment's; see list_workloads
  shard part = {};                                              ///< part of the sweep to measure
  guide_maker guide = {};                                       ///< see tuning_runs
  std::function<void(const sweep_progress&)> on_progress = {};  ///< called after every trial
  std::function<bool()> stop_requested = {};                    ///< called before every trial
};

struct in_process_summary : sweep_summary {
  std::int64_t device = 0;          ///< row
  std::vector<worker_event> steps;  ///< steps that the worker announced, in order
};

/// Measures the missing trials until the caller requests a stop.
/// @throws device_lost after the failure has been recorded; otherwise like plan_sweep() and run_worker()
in_process_summary sweep_in_process(const experiment_file& experiment, const problem& problem,
                                    backends::backend& device, db::store& store, const in_process_options& options);

}  // namespace mlmq::tuner
