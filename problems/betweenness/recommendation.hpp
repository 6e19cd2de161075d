// SPDX-License-Identifier: Apache-2.0
// Configurations that suit a graph, by rules of thumb.
#pragma once

#include "problems/recommendation_hook.hpp"

namespace mlmq::centrality {

/// The rule asks whether few vertices have most of the edges.
extern const problems::recommendation_hook recommendation;

}  // namespace mlmq::centrality
