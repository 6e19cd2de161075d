// SPDX-License-Identifier: Apache-2.0
// Functions of a problem for `mlmq solve WORKLOAD --problem NAME` and libmlmq, which load the workload, choose and
// compile a configuration, and run, time and check the query.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/problem.hpp"

namespace mlmq::problems {

/// Stateless functions. A problem with a hook is the default for its kind of workload: it solves all workloads that the
/// kind's is_generated_by() or is_file() accepts, unless the user names a problem.
struct solve_hook {
  /// Describes the answer of the last successful run in lines of a name of at most 14 letters and a text.
  std::vector<std::pair<std::string, std::string>> (*describe)(tuner::problem_instance& solved,
                                                               const tuner::run_report& report) = nullptr;

  /// Returns the text that `--output FILE` writes about the last run. Null: the problem has no output.
  std::string (*output)(tuner::problem_instance& solved, const tuner::workload& workload) = nullptr;
};

}  // namespace mlmq::problems
