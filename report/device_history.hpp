// SPDX-License-Identifier: Apache-2.0
// Clocks, power and temperature of a device over the time of its trials.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/result_set.hpp"

namespace mlmq::report {

/// Names of the readings as trials have them.
inline constexpr std::array device_readings{"sm_clock_mhz", "memory_clock_mhz", "power_w", "temperature_c"};

struct reading_range {
  double least = 0;
  double median = 0;
  double most = 0;
};

/// Some trials that finished one after the other.
struct history_point {
  std::string from;  ///< when the first of them finished
  std::string to;    ///< when the last of them finished
  std::size_t trials = 0;
  std::array<std::optional<reading_range>, device_readings.size()> readings = {};  ///< as device_readings
  std::map<std::string, std::size_t> slowed;                                       ///< trials by reason of lower clocks
};

/// At most `most` points of equally many trials, of those that have any reading. Empty: no trial has one.
[[nodiscard]] std::vector<history_point> device_history(const result_set& set, std::size_t most);

}  // namespace mlmq::report
