// SPDX-License-Identifier: Apache-2.0
// Experiments and their planned trials.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/records.hpp"
#include "db/store_part.hpp"

namespace mlmq::db {

class experiment_plans : store_part {
 public:
  using store_part::store_part;

  /// Adds an experiment and returns its row id. An experiment with equal name, text and settings is the same
  /// experiment.
  /// @throws input_error if the settings are not JSON
  std::int64_t put_experiment(const std::string& name, const std::string& space_text, const std::string& settings_json);
  /// Lists all experiments in the order of creation.
  [[nodiscard]] std::vector<experiment_row> experiments() const;
  /// Returns the original text of the experiment file. @throws std::invalid_argument for an unknown row
  [[nodiscard]] std::string experiment_text(std::int64_t id) const;
  /// Returns the experiment with this name that was used last. @throws input_error if there is none, listing or
  /// suggesting names
  [[nodiscard]] experiment_row find_experiment(const std::string& name) const;
  [[nodiscard]] progress experiment_progress(std::int64_t experiment) const;
  /// Adds the missing trials as pending and links all trials to the experiment. Returns the number of new trials.
  /// Trials that are already in the database, finished or not, stay unchanged.
  std::size_t plan(std::int64_t experiment, std::span<const trial_key> keys);
  /// Returns the code under which the results of code are on record: other code that it counts as, or itself.
  [[nodiscard]] std::string recorded_code(const std::string& code_hash) const;
  /// Returns the row id of the trial; empty if it was never planned.
  [[nodiscard]] std::optional<std::int64_t> find_trial(const trial_key& key) const;
  /// Lists the trials of an experiment on one workload, query and device, in the order in which they were planned.
  [[nodiscard]] std::vector<planned_trial> planned_trials(std::int64_t experiment, std::int64_t workload,
                                                          const std::string& query, std::int64_t device) const;
};

}  // namespace mlmq::db
