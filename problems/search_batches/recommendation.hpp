// SPDX-License-Identifier: Apache-2.0
// Configurations that suit a graph, by rules of thumb: no selector has been trained for batches.
#pragma once

#include "problems/recommendation_hook.hpp"

namespace mlmq::batches {

/// By measurements of many graphs (docs/notebook/measurements.md): whether few vertices have most of the edges, the
/// average degree, and whether there are enough searches to pay for numbering the vertices by place.
extern const problems::recommendation_hook recommendation;

}  // namespace mlmq::batches
