// SPDX-License-Identifier: Apache-2.0
// Progress of the best time of each input over the tried configurations.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/result_set.hpp"

namespace mlmq::report {

/// A trial that was faster than all earlier ones.
struct improvement {
  std::size_t tried = 0;    ///< number of configurations tried up to this one
  double seconds = 0;       ///< wall time of these trials: compilation, upload, runs, checks
  double milliseconds = 0;  ///< median of this trial
};

struct input_progress {
  std::vector<improvement> steps;
  std::size_t tried = 0;  ///< total number of tried configurations
  double seconds = 0;     ///< total wall time
};

/// Computes the progress of each row of the set from its newest timed trials, in the order in which they finished.
/// Trials of configurations that limit_entries() removed count too.
[[nodiscard]] std::vector<input_progress> progress_of(const result_set& set);

/// Formats tried, seconds and milliseconds of each step: "1:0.5:2.25,3:1.2:1.125".
[[nodiscard]] std::string steps_text(const input_progress& progress);

}  // namespace mlmq::report
