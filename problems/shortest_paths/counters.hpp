// SPDX-License-Identifier: Apache-2.0
// What the work counters of shortest paths count.
#pragma once

#include <span>

#include "search_abi.cuh"
#include "tuner/query.hpp"

namespace mlmq::problems {

/// Counters of ADDS that its solver adds to those of the kernels, where the number of open buckets is dynamic.
inline constexpr const char* mean_open_counter = "mean_open";
inline constexpr const char* open_changes_counter = "open_changes";

/// In the order of mlmq::counter, and then those above: as reports, databases and documents have them.
[[nodiscard]] std::span<const tuner::named_meaning> counter_meanings();

/// "pops" and so on.
[[nodiscard]] const char* name_of(counter which);

}  // namespace mlmq::problems
