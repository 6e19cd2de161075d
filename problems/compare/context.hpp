// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "problems/compare/caller.hpp"
#include "problems/compare/contestants.hpp"
#include "problems/compare/options.hpp"
#include "problems/compare/record.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

/// State that all parts of a comparison share, on every device.
struct context {
  const tuner::problem& problem;
  const comparison_options& options;
  const compare::contestants& contestants;
  compare::record& record;
  compare::caller& caller;
  std::vector<std::string>& notes;  ///< what was left out, and why
};

}  // namespace mlmq::compare
