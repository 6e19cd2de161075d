// SPDX-License-Identifier: Apache-2.0
// Trials that were planned for kernel code that has changed since, and were never measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "db/store.hpp"

namespace mlmq::db {

/// Pending trials of one configuration that were planned for the same code.
struct pending_code {
  std::int64_t configuration = 0;
  std::string parameters_json;
  std::string kernel_source_hash;
};

/// All there are in the experiment.
[[nodiscard]] std::vector<pending_code> pending_code_of(const store& in, std::int64_t experiment);

/// Takes these pending trials out of the experiment, and out of the database where no other experiment has them. Trials
/// that run or are done stay. @return how many trials have left the experiment
std::size_t drop_pending(store& in, std::int64_t experiment, const pending_code& which);

}  // namespace mlmq::db
