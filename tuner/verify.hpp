// SPDX-License-Identifier: Apache-2.0
// Recorded trials measured once more, and compared with what is on record. docs/guide/verify.md says how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db/recorded.hpp"
#include "tuner/problem.hpp"
#include "tuner/sweep_tally.hpp"

namespace mlmq::tuner {

struct verify_options {
  std::size_t sample = 20;                 ///< so many trials, fewer where there are no more to compare
  std::uint64_t seed = 1;                  ///< which ones
  std::optional<std::int64_t> experiment;  ///< only its trials
  std::string device;                  ///< selector; empty: those that the trials were measured on, where they are here
  std::vector<std::string> workloads;  ///< where workloads are that are not where they were; see list_workloads
  std::map<std::string, std::string> file_options = {};   ///< that sweeps may have given to files: see sweep_request
  double tolerance = 0.25;                                ///< of a measured time
  double grace_s = 10;                                    ///< see supervisor_options
  std::vector<std::string> worker_command;                ///< as supervisor_options::command
  std::map<std::string, std::string> worker_environment;  ///< as supervisor_options::environment
  std::function<std::unique_ptr<problem>(const std::string&)> make_problem;  ///< @throws input_error when unknown
  std::function<bool()> stop_requested;
  std::function<void(const sweep_progress&)> on_progress;
};

/// What became of one trial.
struct verified_trial {
  db::recorded_trial recorded;
  std::string workload;
  std::string configuration;  ///< label
  std::string device;         ///< it was run on now
  db::outcome now = db::outcome::ok;
  std::string message;          ///< of the new run
  std::optional<double> ratio;  ///< median now / median on record; absent when times cannot be compared
  double beyond = 0;         ///< how far the new median is outside of the recorded samples, as a share of their median
  std::string incomparable;  ///< why times and work are not compared; empty when they are
  bool outcome_differs = false;
  bool time_differs = false;
  bool work_differs = false;  ///< a counter of a simulated run
};

struct verification {
  std::vector<verified_trial> trials;
  std::map<std::string, std::size_t> skipped;  ///< why, and how many of those that were drawn
  std::size_t recorded = 0;                    ///< finished trials to draw from
  bool interrupted = false;

  [[nodiscard]] std::size_t count(bool verified_trial::*what) const;
  [[nodiscard]] std::size_t wrong_answers() const;
  /// Measured times that were compared.
  [[nodiscard]] std::size_t timed() const;
  /// An answer is wrong, an outcome differs, a modelled time or a simulated run's work differs, or more than a quarter of
  /// the measured times do.
  [[nodiscard]] bool failed() const;
};

/// Runs the sample in a temporary database, so that nothing on record changes, by workers as a sweep has them: a trial
/// that crashes ends its worker only.
/// @throws input_error for a device or workload of the options that cannot be used, work_error as supervise()
[[nodiscard]] verification verify_recorded(const db::store& recorded, const verify_options& options);

}  // namespace mlmq::tuner
