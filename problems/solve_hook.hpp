// SPDX-License-Identifier: Apache-2.0
// What a problem says to who solves: the command `mlmq solve WORKLOAD --problem NAME`, and libmlmq. They do the rest: load the
// workload, choose and compile a configuration, run the query, time and check it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backend.hpp"
#include "tuner/problem.hpp"

namespace mlmq::problems {

/// A configuration that may suit a workload.
struct suggested_configuration {
  std::string label;
  /// Relative performance, best time / time, as a shipped selector expects it. Absent: no selector chose.
  std::optional<double> predicted = std::nullopt;
};

using feature_value = std::function<double(std::string_view)>;

/// Functions without state, each called with what the command has at hand. A problem with a hook answers for its kind of
/// workload: whatever that kind's is_generated_by() or is_file() takes is solved by it, unless a problem is named.
struct solve_hook {
  /// Lines about the answer of the last run, which was ok: a name of at most 14 letters and a text.
  std::vector<std::pair<std::string, std::string>> (*describe)(tuner::problem_instance& solved,
                                                               const tuner::run_report& report) = nullptr;

  /// The text that `--output FILE` writes about the last run. Null: the problem has no answer to write.
  std::string (*output)(tuner::problem_instance& solved, const tuner::workload& on) = nullptr;

  /// Configurations for a workload where neither a configuration nor a model is given, such as by a shipped selector: best
  /// first, of which the first is taken that the device can run, else the defaults. Null: always the defaults.
  /// @param feature the value of a feature of the workload, NaN where it is unknown; not called where none matters
  std::vector<suggested_configuration> (*choose)(const feature_value& feature,
                                                 const backends::device_info& device) = nullptr;
};

}  // namespace mlmq::problems
