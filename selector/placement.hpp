// SPDX-License-Identifier: Apache-2.0
// Where to run: a device that the graph may first have to be brought to, or this machine's processors.
#pragma once

#include <optional>

namespace mlmq::selector {

/// What is known of the best configuration of one place.
struct place_expectation {
  double transfer_ms = 0;           ///< for what is not there yet, and to bring the answer back
  std::optional<double> solve_ms;   ///< of the search; measured on this graph, or expected
  std::optional<double> predicted;  ///< its relative performance, by a model that knows both places; above 0
};

struct placement_verdict {
  bool on_processors = false;
  /// Transfer and search together. Of the device, at least this: its search alone may be unknown.
  double device_ms = 0;
  std::optional<double> processors_ms;
  bool device_is_bound = false;  ///< device_ms leaves out the search
};

/// The place with the smaller sum of transfer and search.
///
/// A model predicts relative performance, best time / time: numbers without a unit, to which no transfer can be added. So
/// the time of one place gives that of the other: of two candidates of one model, times are inverse to predictions.
/// Without a model that knows both, the unknown search takes at least no time at all: a device whose transfer alone takes
/// longer than all that the processors need cannot be the better place, and otherwise the device it is. There is no
/// threshold in this.
///
/// A prediction of 0 or less says nothing (a sum of trees can leave the range).
[[nodiscard]] placement_verdict weigh(place_expectation device, place_expectation processors);

}  // namespace mlmq::selector
