// SPDX-License-Identifier: Apache-2.0
// A sweep: every configuration of an experiment on every input, recorded as it goes, resumed where
// it stopped.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/backend.hpp"
#include "db/store.hpp"
#include "tuner/problem.hpp"
#include "tuner/space_file.hpp"
#include "tuner/variant_cache.hpp"

namespace mlmq::tuner {

/// What a sweep tells while it runs.
struct sweep_progress {
  std::size_t total = 0;                        ///< trials of the experiment on this device
  std::size_t done = 0;                         ///< finished, in this and earlier runs
  std::size_t measured = 0;                     ///< finished in this run
  std::map<db::outcome, std::size_t> outcomes;  ///< of the trials finished in this run
  double elapsed_s = 0;
  std::string graph;       ///< of the last trial
  std::string best_label;  ///< fastest configuration so far on that graph and source
  double best_ms = 0;      ///< its time; 0 when none is known

  [[nodiscard]] double per_second() const { return elapsed_s > 0 ? static_cast<double>(measured) / elapsed_s : 0; }
  /// Seconds to go at the present rate; negative when unknown.
  [[nodiscard]] double seconds_left() const {
    return measured > 0 ? static_cast<double>(total - done) / per_second() : -1;
  }
};

/// Where the wall time of a sweep went, in milliseconds.
struct sweep_times {
  double total = 0;
  double load = 0;     ///< reading, generating and uploading graphs
  double compile = 0;  ///< waiting for a variant
  double measure = 0;  ///< runs, from queueing to the end, retries included
  double kernels = 0;  ///< of this, what the device itself took for the timed samples
  double check = 0;
};

struct sweep_summary {
  std::int64_t experiment = 0;
  std::int64_t device = 0;
  sweep_progress progress;
  sweep_times times;
  variant_cache::statistics variants;
  bool interrupted = false;  ///< stopped by the caller's request
};

struct sweep_options {
  std::vector<std::string> graphs;                         ///< instead of the experiment's; see list_inputs
  std::function<void(const sweep_progress&)> on_progress;  ///< after every trial
  std::function<bool()> stop_requested;                    ///< asked before every trial
};

/// @throws input_error for a space or graph that cannot be used; device_lost after the trial that
/// lost the device has
///   been recorded: a new process continues
sweep_summary run_sweep(const experiment_file& experiment, const problem& what, backends::backend& device,
                        db::store& store, const sweep_options& options);

/// The record of a device in the database.
[[nodiscard]] db::device_record describe_device(const backends::device_info& info);

}  // namespace mlmq::tuner
