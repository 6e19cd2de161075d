// SPDX-License-Identifier: Apache-2.0
// Benchmarks the selector's choice, the best known configuration, every competitor and external programs on the same
// workloads; see docs/guide/compare.md.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "problems/compare/options.hpp"
#include "problems/compare/table.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

struct comparison_result {
  std::vector<contestant_result> rows;  ///< of everything that is finished
  std::vector<std::string> notes;       ///< what was left out, and why
  bool interrupted = false;
  std::exception_ptr failure;  ///< error that ended the comparison early; null: none
};

/// Checks devices, workloads and configurations before anything is created. @throws input_error
void check_comparison(const tuner::problem& problem, const comparison_options& options);

/// Measures what is not yet in the database and reads the rest from it. All workloads are loaded before the first is
/// measured; those that cannot be loaded are left out with a note. An error while measuring is
/// comparison_result::failure.
///
/// @throws input_error  for configurations or devices that cannot be used, or if no workload can be loaded
/// @throws tuner::device_lost  after everything known was recorded: a new process continues
[[nodiscard]] comparison_result run_comparison(const tuner::problem& problem, db::store& store,
                                               const comparison_options& options);

}  // namespace mlmq::compare
