// SPDX-License-Identifier: Apache-2.0
// Rules for comparisons of searches: solvers are competitors of the multi-level queue, and some run on processors.
#pragma once

#include "problems/shortest_paths/search.hpp"
#include "tuner/comparison_rules.hpp"

namespace mlmq::problems {

[[nodiscard]] tuner::comparison_rules comparison_of(search_kind kind);

}  // namespace mlmq::problems
