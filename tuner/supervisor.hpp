// SPDX-License-Identifier: Apache-2.0
// Runs one worker process per device and replaces it if it crashes, hangs or loses its device. All state that is needed
// to resume is in the database: docs/internals/sweeps.md.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/sweep_statistics.hpp"
#include "tuner/tuning_runs.hpp"

namespace mlmq::tuner {

/// Environment variable of workers: a folder of this user's that lasts as long as the sweep, for what one worker
/// computes and others need, too.
inline constexpr const char* sweep_folder_variable = "MLMQ_SWEEP_FOLDER";

struct supervisor_options {
  std::vector<std::string> command;                ///< starts a worker, which reads its task from standard input
  std::map<std::string, std::string> environment;  ///< additional environment variables of workers
  std::string database;
  std::string experiment_file;
  std::vector<backends::device_info> devices;  ///< one worker each, in the order of the plan
  /// Kill a worker that is silent, or overdue, for this many seconds.
  double grace_s = 10;
  tuning_runs* runs = nullptr;                             ///< required if the strategy learns
  std::function<void(const sweep_progress&)> on_progress;  ///< called after every trial and while waiting for a worker
  std::function<bool()> stop_requested;                    ///< polled continuously
};

/// Runs until everything is planned, no trial is left to claim and all tuning runs have ended, or until a stop is
/// requested; running trials are then finished.
/// @throws input_error, work_error for errors that would affect every trial (full disk, missing compiler), or if no
///     device is usable any more
[[nodiscard]] sweep_summary supervise(growing_plan& plan, db::store& store, const supervisor_options& options);

/// Returns how long a worker and its supervisor wait for a locked database: longer than it takes to detect that the
/// worker with the lock is stuck.
[[nodiscard]] std::chrono::milliseconds lock_timeout(double grace_ms);

/// Runs a worker: reads its task from standard input and writes events to standard output. @return exit status
[[nodiscard]] int serve_supervisor(const std::function<std::unique_ptr<problem>(const experiment_file&)>& make_problem);

}  // namespace mlmq::tuner
