// SPDX-License-Identifier: Apache-2.0
// Finished trials as they are on record, with all that it takes to run them again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/store.hpp"

namespace mlmq::db {

struct recorded_trial {
  std::int64_t id = 0;
  std::int64_t experiment = 0;  ///< the first that has it
  std::int64_t workload = 0;    ///< rows, for store::workload(), store::device(), store::configuration()
  std::int64_t device = 0;
  std::int64_t configuration = 0;
  std::string query;
  std::string kernel_source_hash;
  std::string measurement;
  outcome result = outcome::ok;
  std::string message;
  std::optional<double> median_ms;
  bool times_modelled = false;
};

/// The ids of the finished trials that the store shows, ascending. @param experiment only its trials
[[nodiscard]] std::vector<std::int64_t> finished_trials(const store& from, std::optional<std::int64_t> experiment);

/// @throws std::invalid_argument when there is no such finished trial of any experiment
[[nodiscard]] recorded_trial read_recorded(const store& from, std::int64_t trial);

/// How users named the device when its trials were measured ("cuda:0", "simt:4x32"), as far as that is on record.
[[nodiscard]] std::vector<std::string> selectors_of(const store& from, std::int64_t device);

/// What an experiment was measured with (JSON). @throws std::invalid_argument when there is no such row
[[nodiscard]] std::string settings_of(const store& from, std::int64_t experiment);

}  // namespace mlmq::db
