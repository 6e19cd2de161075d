// SPDX-License-Identifier: Apache-2.0
// Side by side on the same workloads: what the selector chooses, the best configuration known, every competitor of this
// program, and other people's programs. docs/guide/compare.md says how.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "compare/options.hpp"
#include "compare/table.hpp"
#include "db/store.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

struct comparison_result {
  std::vector<contestant_result> rows;  ///< of everything that is finished
  std::vector<std::string> notes;       ///< what was left out, and why
  bool interrupted = false;
  std::exception_ptr failure;  ///< what ended the comparison early; null: nothing did
};

/// Finds mistakes before anything is made for them: devices, workloads, configurations. @throws input_error
void check_comparison(const tuner::problem& of, const comparison_options& options);

/// Measures what is not yet in the database and reads the rest from it. All workloads are loaded before the first is
/// measured; those that cannot be loaded are left out with a note. An error while measuring is comparison_result::failure.
///
/// @throws input_error  for configurations or devices that cannot be used, or if no workload can be loaded
/// @throws tuner::device_lost  after everything known was recorded: a new process continues
[[nodiscard]] comparison_result run_comparison(const tuner::problem& of, db::store& store,
                                               const comparison_options& options);

}  // namespace mlmq::compare
