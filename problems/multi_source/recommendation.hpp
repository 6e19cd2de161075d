// SPDX-License-Identifier: Apache-2.0
// Recommends configurations for a graph by rules of thumb; there is no trained selector for multi-source searches.
#pragma once

#include <optional>
#include <string>

#include "backends/backend.hpp"
#include "graph/csr.hpp"
#include "problems/multi_source/class_costs.hpp"
#include "problems/recommendation_hook.hpp"

namespace mlmq::multi_source {

/// Searches from one vertex at a time, of a graph that is prepared once.
struct prepared_search {
  std::string label;
  double preparation_ms = 0;  ///< expected
  double search_ms = 0;       ///< expected for a search
};

/// Returns single searches that sweep over an elimination hierarchy with all of the device; nothing if the graph does
/// not suit it, or if nothing is known of such a device. Looks for the order of the vertices in the cache folder.
/// @param features without arc_bound
[[nodiscard]] std::optional<prepared_search> prepared_search_for(const cost_features& features,
                                                                 const graph::csr_graph& graph,
                                                                 const backends::device_info& device);

/// Recommends by rules based on measurements of many graphs (docs/notebook/measurements.md). The rules depend on
/// whether a few vertices have most of the edges, on the average degree, and on whether there are enough searches to
/// amortize the renumbering by place.
extern const problems::recommendation_hook distance_recommendation;
/// The same for levels of breadth-first search, whatever the weights are.
extern const problems::recommendation_hook level_recommendation;

}  // namespace mlmq::multi_source
