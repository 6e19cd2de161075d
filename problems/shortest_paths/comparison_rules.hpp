// SPDX-License-Identifier: Apache-2.0
// The rules of side-by-side runs of searches: solvers are competitors of the multi-level queue, and some are for
// processors.
#pragma once

#include "problems/shortest_paths/search.hpp"
#include "tuner/comparison_rules.hpp"

namespace mlmq::problems {

[[nodiscard]] tuner::comparison_rules comparison_of(search_kind kind);

}  // namespace mlmq::problems
