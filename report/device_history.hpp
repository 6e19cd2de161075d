// SPDX-License-Identifier: Apache-2.0
// History of clocks, power and temperature of a device during its trials.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/result_set.hpp"

namespace mlmq::report {

/// Names of the readings in recorded trials.
inline constexpr std::array device_readings{"sm_clock_mhz", "memory_clock_mhz", "power_w", "temperature_c"};

struct reading_range {
  double least = 0;
  double median = 0;
  double most = 0;
};

/// A group of trials that finished one after the other.
struct history_point {
  std::string first_finished;  ///< when the first of them finished
  std::string last_finished;   ///< when the last of them finished
  std::size_t trials = 0;
  std::array<std::optional<reading_range>, device_readings.size()> readings = {};  ///< in the order of device_readings
  std::map<std::string, std::size_t> slowed;  ///< number of trials by reason of lower clocks
};

/// Groups the trials with readings into at most `most` points of equal size. Empty if no trial has readings.
[[nodiscard]] std::vector<history_point> device_history(const result_set& set, std::size_t most);

}  // namespace mlmq::report
