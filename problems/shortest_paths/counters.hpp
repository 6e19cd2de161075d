// SPDX-License-Identifier: Apache-2.0
// What the work counters of shortest paths count.
#pragma once

#include <span>

#include "search_abi.cuh"
#include "tuner/query.hpp"

namespace mlmq::problems {

/// In the order of mlmq::counter: as reports, databases and documents have them.
[[nodiscard]] std::span<const tuner::named_meaning> counter_meanings();

/// "pops" and so on.
[[nodiscard]] const char* name_of(counter which);

}  // namespace mlmq::problems
