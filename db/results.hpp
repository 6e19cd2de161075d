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
  ///
  /// With an equal trial the result is a copy of that trial's, which the message says. All results of that trial's code
  /// on the device that belong to variants with the same instructions become results of this trial's code (equal_code):
  /// otherwise the views would leave them out as those of older code.
  bool finish(std::int64_t trial, const trial_result& result);
  /// Finds the newest right timed trial that differs from this one only in its code, and whose variant has the same
  /// macros, compiler, architecture and instructions. Its times are valid for this trial if instructions are all that
  /// the code of both differs in, and if they read the same arguments.
  [[nodiscard]] std::optional<equal_trial> find_equal(std::int64_t trial, const variant_record& variant) const;
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
