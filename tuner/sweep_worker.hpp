// SPDX-License-Identifier: Apache-2.0
// A worker of a sweep: owns one device, claims trials from the database, measures them and records the results.
#pragma once

#include "backends/backend.hpp"
#include "db/store.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"
#include "tuner/worker_link.hpp"

namespace mlmq::tuner {

/// Runs until the link requests a stop or has no more work. After an exception, a claimed trial that did not cause it
/// is pending again.
/// @throws device_lost after reporting it; the trial is still marked as running, and the caller must record the failure
///   (db::store::charge). input_error and work_error for errors that would affect every trial
void run_worker(const worker_task& task, const experiment_file& experiment, const problem& problem,
                backends::backend& device, db::store& store, worker_link& link);

}  // namespace mlmq::tuner
