// SPDX-License-Identifier: Apache-2.0
// Rules by which a problem tells problems/compare/ about its configurations. All of them have defaults.
#pragma once

#include <string_view>

#include "backends/backend.hpp"
#include "tuner/configuration.hpp"

namespace mlmq::tuner {

/// Default of comparison_rules::runs_on: kernels run on devices with grids.
[[nodiscard]] inline bool runs_on_grids(const configuration& /*candidate*/, const backends::device_traits& device) {
  return device.grid;
}

struct comparison_rules {
  /// The parameter that identifies competitors: its default value means mlmq itself, other values name competitors.
  /// Empty: every configuration of the competitors' file that is not in the short list is a competitor.
  std::string_view competitor_parameter = {};

  /// Returns whether devices with these traits run a configuration of an experiment file.
  bool (*runs_on)(const configuration& candidate, const backends::device_traits& device) = runs_on_grids;

  /// Names of shipped experiment files that are used by default; empty: no default.
  std::string_view short_list = {};
  std::string_view competitors = {};
};

}  // namespace mlmq::tuner
