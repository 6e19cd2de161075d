// SPDX-License-Identifier: Apache-2.0
// Meanings of the work counters of shortest paths.
#pragma once

#include <span>

#include "search_abi.cuh"
#include "tuner/query.hpp"

namespace mlmq::problems {

/// Counters that the solver of ADDS adds to those of the kernel if the number of open buckets is dynamic.
inline constexpr const char* mean_open_counter = "mean_open";
inline constexpr const char* open_changes_counter = "open_changes";

/// The counters in the order of mlmq::counter, followed by those above; reports, databases and documents use this
/// order.
[[nodiscard]] std::span<const tuner::named_meaning> counter_meanings();

/// Returns the name of a counter, such as "pops".
[[nodiscard]] const char* name_of(counter work_counter);

}  // namespace mlmq::problems
