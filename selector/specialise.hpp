// SPDX-License-Identifier: Apache-2.0
// Converts trees over workloads and candidates into trees over workloads only.
#pragma once

#include <cstddef>
#include <vector>

#include "selector/forest.hpp"
#include "selector/trees.hpp"

namespace mlmq::selector {

/// Resolves every split on a candidate's column in advance. The resulting trees compare only inputs of the workload,
/// and each leaf holds one value per candidate, so that one walk serves all candidates. A tree that would become too
/// large is divided among the candidates; the leaves of each part have 0 for the others.
/// @param inputs number of workload inputs; a candidate's columns follow them
/// @param encodings per candidate: its columns
/// @param unit unit of the leaves: see in_units()
/// @throws input_error for a tree deeper than 255 levels
[[nodiscard]] std::vector<learned_tree> specialised(const forest& trees, std::size_t inputs,
                                                    const std::vector<std::vector<float>>& encodings, float unit);

}  // namespace mlmq::selector
