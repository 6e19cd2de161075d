// SPDX-License-Identifier: Apache-2.0
// One worker process for each device, replaced when it crashes, hangs or loses its device. The database says what is to
// do and what is done; nothing that a worker or the supervisor holds is needed to continue: docs/internals/sweeps.md.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/sweep_tally.hpp"
#include "tuner/tuning_runs.hpp"

namespace mlmq::tuner {

struct supervisor_options {
  std::vector<std::string> command;  ///< starts a worker, which then reads its task from its standard input
  std::map<std::string, std::string> environment;  ///< of workers, in addition to this process's
  std::string database;
  std::string experiment_file;
  std::vector<backends::device_info> devices;  ///< one worker each, as in the plan
  /// A worker is killed when it is silent for so long, or so long after a step of it should have ended.
  double grace_s = 10;
  tuning_runs* runs = nullptr;                             ///< of the plan; needed when the strategy learns
  std::function<void(const sweep_progress&)> on_progress;  ///< after every trial, and while a worker is waited for
  std::function<bool()> stop_requested;                    ///< asked all the time
};

/// Runs until nothing is left to claim and every search is at its end, or until it is asked to stop: then the trials at
/// hand are finished.
/// @throws input_error, work_error: what a worker says would go wrong with every trial (the disk is full, there is no
///   compiler), or that no device can be used any more
[[nodiscard]] sweep_summary supervise(const sweep_plan& plan, db::store& store, const supervisor_options& options);

/// How long a worker and its supervisor wait for a locked database: longer than it takes to notice that another worker
/// holds the lock but does not go on.
[[nodiscard]] std::chrono::milliseconds lock_patience(double grace_ms);

/// A worker's side: reads its task from standard input, works, and tells standard output. @return exit status
[[nodiscard]] int serve_supervisor(const std::function<std::unique_ptr<problem>(const std::string&)>& make_problem);

}  // namespace mlmq::tuner
