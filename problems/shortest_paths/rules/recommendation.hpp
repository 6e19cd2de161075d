// SPDX-License-Identifier: Apache-2.0
// The selector, the rules and the defaults of shortest paths and breadth-first search.
#pragma once

#include "problems/recommendation_hook.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::problems {

/// Returns the hook of a problem, which has static storage.
[[nodiscard]] const recommendation_hook& recommendation_of(search_kind kind);

}  // namespace mlmq::problems
