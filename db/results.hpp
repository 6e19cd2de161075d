// SPDX-License-Identifier: Apache-2.0
// Results of trials.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/records.hpp"
#include "db/store_part.hpp"
#include "db/training.hpp"

namespace mlmq::db {

class trial_results : store_part {
 public:
  using store_part::store_part;

  /// Records the result with all its samples and counters, and marks the trial done. Returns false if another worker
  /// has already finished the trial; the first result is kept.
  /// @throws std::invalid_argument if a time is negative, a number is not finite, an ok time measurement has no
  ///   samples, or the trial does not exist; input_error if JSON in the result is malformed
  bool finish(std::int64_t trial, const trial_result& result);
  /// Returns the shortest median of right answers so far.
  [[nodiscard]] std::optional<double> best_time(const std::string& problem, std::int64_t device, std::int64_t workload,
                                                const std::string& query) const;
  /// Returns the summary of a trial; empty while it is not done.
  [[nodiscard]] std::optional<trial_summary> summary(std::int64_t trial) const;
  /// Returns the samples of a trial in milliseconds, in the order measured.
  [[nodiscard]] std::vector<double> samples(std::int64_t trial) const;
  [[nodiscard]] std::map<std::string, double> counters(std::int64_t trial) const;
  /// Returns the finished time measurements that pass the filter, including failures: the newest one per configuration,
  /// workload, query and device. `relative` refers to the best of the selected measurements with the same problem,
  /// workload, query and device (training.cpp).
  [[nodiscard]] training_data training(const trial_filter& filter = {}) const;
};

}  // namespace mlmq::db
