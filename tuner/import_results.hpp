// SPDX-License-Identifier: Apache-2.0
// Puts results of other auto-tuners into a database.
#pragma once

#include <cstddef>

#include "db/store.hpp"
#include "tuner/results_file.hpp"

namespace mlmq::tuner {

/// Prefix of the problem's name of imported results; the kernel's name follows.
inline constexpr const char* imported_problem_prefix = "imported:";

struct import_report {
  std::size_t added = 0;            ///< new trials
  std::size_t failed = 0;           ///< trials among them without a time
  std::size_t already_present = 0;  ///< trials that an earlier import of the same file has added
};

/// Adds the results as trials of the problem "imported:KERNEL" and of an experiment with the kernel and the device in
/// its name. The medians of the database are those of the samples, or the objective of a result without samples. The
/// hash of the file's results takes the place of the kernel's source hash, so that another file of the same kernel,
/// input and device supersedes them.
/// @param space  the T1 input of the results, or null; its conditions become the experiment's restrictions
/// @throws input_error for names that an experiment cannot have
import_report import_results(db::store& store, const results_file& results, const t1_input* space);

}  // namespace mlmq::tuner
