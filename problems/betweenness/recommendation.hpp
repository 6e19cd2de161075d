// SPDX-License-Identifier: Apache-2.0
// Recommends configurations for a graph by rules of thumb.
#pragma once

#include "problems/recommendation_hook.hpp"

namespace mlmq::betweenness {

/// Recommends by a rule that depends on whether a few vertices have most of the edges.
extern const problems::recommendation_hook recommendation;

}  // namespace mlmq::betweenness
