// SPDX-License-Identifier: Apache-2.0
// Classifies graphs for reports and for rules of thumb.
#pragma once

#include <string>

#include "graph/features.hpp"

namespace mlmq::graph {

/// Returns "road", "mesh" or "power_law", determined from the degrees alone:
///  1. road: the average degree is at most 3.2 and no degree exceeds 8 (few junctions, all small);
///  2. power_law: the standard deviation of the degrees is at least 0.75 of the average degree, and the largest degree
///     is at least 10 times the average (a tail of hubs);
///  3. mesh: all other graphs.
/// This is a rule of thumb: it agrees with about nine in ten of the manually assigned classes of the collected test
/// graphs. It classifies circuits with clock or reset nets as power-law graphs; work queues also behave on them as on
/// power-law graphs.
[[nodiscard]] std::string graph_class(const graph_features& features);

}  // namespace mlmq::graph
