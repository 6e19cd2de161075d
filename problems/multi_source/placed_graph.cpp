// SPDX-License-Identifier: Apache-2.0
#include "problems/multi_source/placed_graph.hpp"

#include "graph/place_order.hpp"

namespace mlmq::multi_source {

placed_graph::placed_graph(backends::backend& device, const graph::csr_graph& original, const std::string& name,
                           bool unit_weights)
    : placed_graph(device, original, name, unit_weights, graph::place_order(original)) {}

placed_graph::placed_graph(backends::backend& device, const graph::csr_graph& original, const std::string& name,
                           bool unit_weights, const std::vector<graph::vertex_id>& order)
    : graph(graph::renumbered(original, order)),
      ranks(graph::ranks_of(order)),
      on_device(device, graph, name, unit_weights),
      ell_rows(device, graph, unit_weights, *on_device.rows),
      packed_rows(device, graph),
      device_names(backends::uploaded(device, order, "the numbers of vertices")),
      device_ranks(backends::uploaded(device, ranks, "the ranks of vertices")) {}

}  // namespace mlmq::multi_source
