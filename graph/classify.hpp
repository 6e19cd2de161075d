// SPDX-License-Identifier: Apache-2.0
// What kind of graph it is, for reports and for rules of thumb.
#pragma once

#include <string>

#include "graph/features.hpp"

namespace mlmq::graph {

/// "road", "mesh" or "power_law", from the degrees alone:
///  1. road: the average degree is at most 3.2 and no degree exceeds 8 (few junctions, all small);
///  2. power_law: the deviation is at least 0.75 of the average degree, and the largest degree at
///     least 10 times the average (a tail of hubs);
///  3. mesh: all others.
/// A rule of thumb: it agrees with about nine in ten of the classes that people gave to the
/// collected test graphs. Circuits with clock or reset nets look like power-law graphs to it, and
/// to a queue.
[[nodiscard]] std::string graph_class(const graph_features& features);

}  // namespace mlmq::graph
