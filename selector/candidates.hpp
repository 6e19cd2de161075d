// SPDX-License-Identifier: Apache-2.0
// Fewer candidates with almost the same best times, so that the exported header stays small.
#pragma once

#include <cstddef>
#include <vector>

#include "selector/training_set.hpp"

namespace mlmq::selector {

/// A small set of candidates such that on every graph that any candidate solved, the best of the
/// set takes at most (1 + tolerance) times the best time. Greedy set cover: each step takes the
/// candidate that is good enough on the most graphs not yet covered; of equals the one with the
/// higher mean relative performance, then the lower index.
/// @param tolerance 0.05 means within 5 %; 0 keeps a best candidate of every graph.
/// @returns indices, ascending; for keep_candidates().
/// @throws input_error for a tolerance that is negative or not a number, or when no candidate
/// solved any graph.
[[nodiscard]] std::vector<std::size_t> covering_candidates(const performance_matrix& performance, double tolerance);

}  // namespace mlmq::selector
