// SPDX-License-Identifier: Apache-2.0
// What a problem says to who solves: the command `mlmq solve WORKLOAD --problem NAME`, and libmlmq. They do the rest: load the
// workload, choose and compile a configuration, run the query, time and check it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tuner/problem.hpp"

namespace mlmq::problems {

/// Functions without state, each called with what the command has at hand. A problem with a hook answers for its kind of
/// workload: whatever that kind's is_generated_by() or is_file() takes is solved by it, unless a problem is named.
struct solve_hook {
  /// Lines about the answer of the last run, which was ok: a name of at most 14 letters and a text.
  std::vector<std::pair<std::string, std::string>> (*describe)(tuner::problem_instance& solved,
                                                               const tuner::run_report& report) = nullptr;

  /// The text that `--output FILE` writes about the last run. Null: the problem has no answer to write.
  std::string (*output)(tuner::problem_instance& solved, const tuner::workload& on) = nullptr;
};

}  // namespace mlmq::problems
