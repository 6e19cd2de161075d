// SPDX-License-Identifier: Apache-2.0
// Trials that the views of a store do not show, because they belong to other kernel code (store::open_record()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "db/store.hpp"

namespace mlmq::db {

struct hidden_trials {
  std::size_t count = 0;     ///< finished trials of code that is not shown
  std::size_t versions = 0;  ///< number of code versions of these trials
};

/// Counts the finished trials that the store does not show.
/// @param experiment  row of the only experiment to count; empty: all
[[nodiscard]] hidden_trials count_hidden_trials(const store& record, std::optional<std::int64_t> experiment = {});

/// "12 finished trials of other kernel code (1 version) are left out", or "" if there are none.
[[nodiscard]] std::string hidden_trials_text(const hidden_trials& hidden);

}  // namespace mlmq::db
