// SPDX-License-Identifier: Apache-2.0
// Measures recorded trials again and compares them with the record: docs/guide/verify.md.
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
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"
#include "tuner/sweep_statistics.hpp"

namespace mlmq::tuner {

struct verify_options {
  std::size_t sample = 20;                                ///< number of trials to repeat, at most
  std::uint64_t seed = 1;                                 ///< seed of the sample
  std::optional<std::int64_t> experiment;                 ///< restricts the sample to the trials of this experiment
  std::string device;                                     ///< selector of the device to use; empty: the devices of the
                                                          ///< trials, if present
  std::vector<std::string> workloads;                     ///< names of workloads that have moved; see list_workloads
  std::map<std::string, std::string> file_options = {};   ///< options that sweeps may have applied to files
  double tolerance = 0.25;                                ///< allowed relative deviation of a measured time
  double grace_s = 10;                                    ///< see supervisor_options
  std::vector<std::string> worker_command;                ///< see supervisor_options::command
  std::map<std::string, std::string> worker_environment;  ///< see supervisor_options::environment
  std::function<std::unique_ptr<problem>(const std::string&)>
      make_problem;  ///< @throws input_error for an unknown name
  /// Makes a problem that its experiment file defines. Relative paths refer to the current folder.
  std::function<std::unique_ptr<problem>(const experiment_file&)> problem_of;
  std::function<bool()> stop_requested;
  std::function<void(const sweep_progress&)> on_progress;
};

/// Comparison of one repeated trial with its record.
struct verified_trial {
  db::recorded_trial recorded;
  std::string workload;
  std::string configuration;  ///< label
  std::string device;         ///< device of the new run
  db::outcome new_outcome = db::outcome::ok;
  std::string message;          ///< message of the new run
  std::optional<double> ratio;  ///< new median / recorded median; absent if the times are not comparable
  double beyond = 0;  ///< distance of the new median from the range of recorded samples, relative to their median
  std::string incomparable;  ///< why times and work are not compared; empty if they are
  bool outcome_differs = false;
  bool time_differs = false;
  bool work_differs = false;  ///< whether a counter of a simulated run differs
};

struct verification {
  std::vector<verified_trial> trials;
  std::map<std::string, std::size_t> skipped;  ///< number of drawn trials that were skipped, by reason
  std::size_t recorded = 0;                    ///< number of finished trials to draw from
  bool interrupted = false;

  [[nodiscard]] std::size_t count(bool verified_trial::*flag) const;
  [[nodiscard]] std::size_t wrong_answers() const;
  /// Returns the number of measured (not modelled) times that were compared.
  [[nodiscard]] std::size_t timed() const;
  /// Returns whether an answer is wrong, an outcome differs, a modelled time or the work of a simulated run differs, or
  /// more than a quarter of the measured times differ.
  [[nodiscard]] bool failed() const;
};

/// Repeats a sample of trials with worker processes and a temporary database, so that the record stays unchanged and a
/// crash ends only its worker.
/// @throws input_error for an invalid device or workload in the options; work_error like supervise()
[[nodiscard]] verification verify_recorded(const db::store& recorded, const verify_options& options);

}  // namespace mlmq::tuner
