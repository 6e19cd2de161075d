// SPDX-License-Identifier: Apache-2.0
// A worker of a sweep: owns one device, claims trials from the database, measures them and records what came of it.
#pragma once

#include "backends/backend.hpp"
#include "db/store.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"
#include "tuner/worker_link.hpp"

namespace mlmq::tuner {

/// Works until the link says stop or has nothing more. Claimed trials that were not begun to be blamed for an exception
/// are pending again.
/// @throws device_lost, after telling, with its trial still running in the database: whoever started the worker charges
///   it (db::store::charge); input_error and work_error for what would go wrong with every trial
void run_worker(const worker_task& task, const experiment_file& experiment, const problem& of,
                backends::backend& device, db::store& store, worker_link& link);

}  // namespace mlmq::tuner
