// SPDX-License-Identifier: Apache-2.0
// Recommends configurations for a graph by rules of thumb; there is no trained selector for multi-source searches.
#pragma once

#include "problems/recommendation_hook.hpp"

namespace mlmq::multi_source {

/// Recommends by rules based on measurements of many graphs (docs/notebook/measurements.md). The rules depend on
/// whether a few vertices have most of the edges, on the average degree, and on whether there are enough searches to
/// amortize the renumbering by place.
extern const problems::recommendation_hook distance_recommendation;
/// The same for levels of breadth-first search, whatever the weights are.
extern const problems::recommendation_hook level_recommendation;

}  // namespace mlmq::multi_source
