// SPDX-License-Identifier: Apache-2.0
// Handles trials that were planned for kernel code that has changed since, and were never measured.
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

/// Lists the code of all pending trials in the experiment.
[[nodiscard]] std::vector<pending_code> pending_code_of(const store& in, std::int64_t experiment);

/// Removes these pending trials from the experiment, and from the database if no other experiment has them. Running and
/// finished trials stay. @return number of trials removed from the experiment
std::size_t drop_pending(store& in, std::int64_t experiment, const pending_code& code);

}  // namespace mlmq::db
