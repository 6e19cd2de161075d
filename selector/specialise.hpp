// SPDX-License-Identifier: Apache-2.0
// Trees over workloads and candidates as trees over workloads only.
#pragma once

#include <cstddef>
#include <vector>

#include "selector/forest.hpp"
#include "selector/trees.hpp"

namespace mlmq::selector {

/// The trees with every split on a candidate's column decided beforehand: what is left of a tree compares inputs of the
/// workload only, and each of its leaves holds a value for each candidate, so that one walk serves all. A tree that would
/// grow too large by that is divided among the candidates; the others have 0 in its leaves.
/// @param inputs of a workload; a candidate's columns follow them
/// @param encodings per candidate: its columns
/// @param unit of the leaves: see in_units()
/// @throws input_error for a tree deeper than 255 levels
[[nodiscard]] std::vector<learned_tree> specialised(const forest& trees, std::size_t inputs,
                                                    const std::vector<std::vector<float>>& encodings, float unit);

}  // namespace mlmq::selector
