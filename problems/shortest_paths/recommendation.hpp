// SPDX-License-Identifier: Apache-2.0
// The selector, the rules and the defaults of shortest paths and breadth-first search.
#pragma once

#include "problems/recommendation_hook.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::problems {

/// For the life of the program.
[[nodiscard]] const recommendation_hook& recommendation_of(search_kind kind);

}  // namespace mlmq::problems
