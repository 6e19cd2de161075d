// SPDX-License-Identifier: Apache-2.0
// Progress and results of a sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/code.hpp"
#include "db/objective.hpp"
#include "db/sessions.hpp"
#include "db/store.hpp"
#include "db/worker.hpp"

namespace mlmq::db {

struct experiment_status {
  experiment_row experiment;
  progress counts;
  std::vector<device_sessions> sessions;  ///< breakdown of the wall time of the workers
  /// Estimated from the rate of the last trials; only while trials are running.
  std::optional<double> seconds_left;
};

struct running_trial {
  std::string worker;
  liveness state = liveness::unknown;
  std::string workload;
  std::string query;
  std::string label;
  int attempt = 0;
  double seconds = 0;  ///< time since the trial was claimed
};

struct failure_count {
  outcome result = outcome::crashed;
  std::string message;
  std::size_t count = 0;
  std::string example;  ///< label of one configuration
};

/// The best configuration of one problem on one workload, query and device, by the first objective of its experiments.
struct best_result {
  std::string problem;
  std::string workload;
  std::string workload_class;
  std::string query;
  std::string device;
  std::string label;
  std::string parameters_json;
  double median_ms = 0;
  double spread = 0;           ///< interquartile range / median
  std::size_t candidates = 0;  ///< configurations that gave a right answer with a value of the objective
  objective criterion;
  std::string rate_unit;  ///< unit of `rate`, such as "events/s"; "" for problems whose timed runs count nothing
  double rate = 0;
  std::vector<std::pair<std::string, double>> metrics;  ///< those of the experiment file, by name
};

/// Winner of a final, in which the fastest configurations were measured once more.
struct final_winner {
  std::string workload;
  std::string query;
  std::string device;
  std::string label;
  double median_ms = 0;
  double first_median_ms = 0;  ///< median of its own trial
  double lead = 0;             ///< median of the second place / median of the winner - 1
};

/// The Pareto fronts of an experiment with several objectives.
struct experiment_fronts {
  std::string experiment;
  std::vector<objective> objectives;
  std::vector<front_member> members;
};

struct status {
  std::string file;
  std::vector<experiment_status> experiments;
  std::vector<running_trial> running;
  std::vector<failure_count> failures;  ///< most frequent first, at most ten
  std::vector<best_result> best;        ///< ordered by problem, workload, query, device
  std::vector<experiment_fronts> fronts;
  std::vector<final_winner> winners;  ///< ordered by workload, query, device
  hidden_trials hidden;
};

/// Reads the status of all experiments, or of one.
[[nodiscard]] status read_status(const store& source, std::optional<std::int64_t> experiment = {});

/// Formats the status as text that ends with a line break.
/// @param shorten converts labels of configurations for display
[[nodiscard]] std::string render(const status& state,
                                 const std::function<std::string(const std::string&)>& shorten = std::identity());

}  // namespace mlmq::db
