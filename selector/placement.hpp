// SPDX-License-Identifier: Apache-2.0
// Decides where to run: on a device, to which the workload may first have to be copied, or on this machine's
// processors.
#pragma once

#include <optional>

namespace mlmq::selector {

/// Cost of copying data to a place.
struct transfer_cost {
  double array_ms = 0;  ///< per array: allocation and the latency of a copy
  double byte_ms = 0;

  [[nodiscard]] double copy_ms(unsigned arrays, double bytes) const { return arrays * array_ms + bytes * byte_ms; }
};

/// Returns the milliseconds to copy a workload to the device, unless it is resident, and to copy the answer back.
/// @param weighted whether edges have weights
[[nodiscard]] double transfer_ms(const transfer_cost& cost, double vertices, double edges, bool weighted,
                                 bool is_resident);

/// Expected cost of the best configuration of one place.
struct place_expectation {
  double transfer_ms = 0;           ///< for missing data, and to copy the answer back
  std::optional<double> solve_ms;   ///< time of the search; measured on this workload, or expected
  std::optional<double> predicted;  ///< relative performance, predicted by a model that covers both places; above 0
  double slowdown = 1;              ///< factor by which the next search takes longer than solve_ms
};

struct placement_verdict {
  bool on_processors = false;
  /// Transfer and search together, including slowdowns. For the device a lower bound if its search time is unknown.
  double device_ms = 0;
  std::optional<double> processors_ms;
  bool device_is_bound = false;  ///< device_ms leaves out the search
};

/// Chooses the place with the smaller sum of transfer and search.
///
/// A model predicts relative performance, best time / time, which has no unit, so a transfer time cannot be added to
/// it. Instead, the known time of one place gives the time of the other: for two candidates of one model, times are
/// inversely proportional to predictions. Without a model that covers both places, the unknown search time is bounded
/// below by 0: if the transfer to the device alone takes longer than everything on processors, processors are chosen;
/// otherwise the device is. No threshold is involved.
///
/// A prediction of 0 or less is ignored (a sum of trees can leave the range).
[[nodiscard]] placement_verdict weigh(place_expectation device, place_expectation processors);

}  // namespace mlmq::selector
