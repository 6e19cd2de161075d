// SPDX-License-Identifier: Apache-2.0
// What side-by-side runs are told of searches: solvers are competitors of the multi-level queue, some are for processors,
// and the shipped selector chooses for a graph on record.
#pragma once

#include "problems/shortest_paths/search.hpp"
#include "tuner/comparison_rules.hpp"

namespace mlmq::problems {

[[nodiscard]] tuner::comparison_rules comparison_of(search_kind kind);

}  // namespace mlmq::problems
