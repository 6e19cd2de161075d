// SPDX-License-Identifier: Apache-2.0
// Where to run: a device that the workload may first have to be brought to, or this machine's processors.
#pragma once

#include <optional>

namespace mlmq::selector {

/// What bringing data to a place takes.
struct transfer_cost {
  double array_ms = 0;  ///< for each array: memory there, and a copy of next to nothing
  double byte_ms = 0;

  [[nodiscard]] double of(unsigned arrays, double bytes) const { return arrays * array_ms + bytes * byte_ms; }
};

/// Milliseconds to bring a workload, unless it is there, and its answer back.
/// @param weighted whether an edge has a weight beside its target
[[nodiscard]] double transfer_ms(const transfer_cost& cost, double vertices, double edges, bool weighted,
                                 bool is_resident);

/// What is known of the best configuration of one place.
struct place_expectation {
  double transfer_ms = 0;           ///< for what is not there yet, and to bring the answer back
  std::optional<double> solve_ms;   ///< of the search; measured on this workload, or expected
  std::optional<double> predicted;  ///< its relative performance, by a model that knows both places; above 0
  double slowdown = 1;              ///< how many times as long as that the next search takes
};

struct placement_verdict {
  bool on_processors = false;
  /// Transfer and search together, slowdown and all. Of the device, at least this: its search alone may be unknown.
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
