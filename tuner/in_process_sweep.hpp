// SPDX-License-Identifier: Apache-2.0
// A sweep without processes: what the supervisor and one worker do, in one thread, on a device that the caller has.
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
#include "tuner/sweep_tally.hpp"
#include "tuner/tuning_runs.hpp"
#include "tuner/worker_link.hpp"

namespace mlmq::tuner {

struct in_process_options {
  std::vector<std::string> workloads = {};                      ///< instead of the experiment's; see list_workloads
  shard part = {};                                              ///< what is measured here
  guide_maker guide = {};                                       ///< as for tuning_runs
  std::function<void(const sweep_progress&)> on_progress = {};  ///< after every trial
  std::function<bool()> stop_requested = {};                    ///< asked before every trial
};

struct in_process_summary : sweep_summary {
  std::int64_t device = 0;          ///< row
  std::vector<worker_event> steps;  ///< that the worker told, in order
};

/// Measures what the database lacks, until the caller stops it.
/// @throws device_lost, after the trial has been charged; otherwise as plan_sweep() and run_worker()
in_process_summary sweep_in_process(const experiment_file& experiment, const problem& of, backends::backend& device,
                                    db::store& store, const in_process_options& options);

}  // namespace mlmq::tuner
