// SPDX-License-Identifier: Apache-2.0
// How the best time of an input fell while configurations were tried.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/result_set.hpp"

namespace mlmq::report {

/// A trial that was faster than all before it.
struct improvement {
  std::size_t tried = 0;    ///< configurations tried until then, this one included
  double seconds = 0;       ///< wall time of these trials: compilation, upload, runs, checks
  double milliseconds = 0;  ///< its median
};

struct input_progress {
  std::vector<improvement> steps;
  std::size_t tried = 0;  ///< in all
  double seconds = 0;     ///< in all
};

/// One for each row of the set, of its newest timed trials in the order in which they finished. Trials of configurations that
/// limit_entries() took away count, too.
[[nodiscard]] std::vector<input_progress> progress_of(const result_set& set);

/// "1:0.5:2.25,3:1.2:1.125": tried, seconds and milliseconds of each step.
[[nodiscard]] std::string steps_text(const input_progress& progress);

}  // namespace mlmq::report
