// SPDX-License-Identifier: Apache-2.0
// What a problem tells side-by-side runs (compare/) of its configurations. One that tells nothing can be compared, too.
#pragma once

#include <string_view>

#include "backends/backend.hpp"
#include "tuner/configuration.hpp"

namespace mlmq::tuner {

/// What is a kernel runs where there are grids.
[[nodiscard]] inline bool runs_on_grids(const configuration& /*given*/, const backends::device_traits& device) {
  return device.grid;
}

struct comparison_rules {
  /// The parameter whose value says whose a configuration is: with its default it is ours, other values name
  /// competitors. Empty: every configuration of the competitors' file that is not in the short list is a competitor.
  std::string_view competitor_parameter = {};

  /// Whether devices with these traits run a configuration as an experiment file has it.
  bool (*runs_on)(const configuration& given, const backends::device_traits& device) = runs_on_grids;

  /// Experiment files among those that come with the program, for who names none; empty: there are none.
  std::string_view short_list = {};
  std::string_view competitors = {};
};

}  // namespace mlmq::tuner
