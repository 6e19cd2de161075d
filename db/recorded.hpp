// SPDX-License-Identifier: Apache-2.0
// Reads finished trials with everything that is needed to run them again.
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
  std::int64_t experiment = 0;  ///< the first experiment with this trial
  std::int64_t workload = 0;    ///< row ids for store::workload(), store::device(), store::configuration()
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

/// Returns the ids of the finished trials that the store shows, ascending. @param experiment limits them to one
/// experiment
[[nodiscard]] std::vector<std::int64_t> finished_trials(const store& source, std::optional<std::int64_t> experiment);

/// Reads one finished trial. @throws std::invalid_argument if no experiment has such a finished trial
[[nodiscard]] recorded_trial read_recorded(const store& source, std::int64_t trial);

/// Returns the recorded names under which users selected the device for its trials ("cuda:0", "simt:4x32").
[[nodiscard]] std::vector<std::string> selectors_of(const store& source, std::int64_t device);

/// Returns the settings of an experiment (JSON). @throws std::invalid_argument for an unknown row
[[nodiscard]] std::string settings_of(const store& source, std::int64_t experiment);

}  // namespace mlmq::db
