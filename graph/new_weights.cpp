// SPDX-License-Identifier: Apache-2.0
#include "graph/new_weights.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace mlmq::graph {

void require_new_weights(const csr_graph& graph, weight_type type, std::size_t count) {
  if (type != graph.weights()) {
    throw input_error(
        fmt::format("new weights of type {}: those of the graph are {}", name_of(type), name_of(graph.weights())));
  }
  if (count != graph.edge_count())
    throw input_error(fmt::format("{} new weights: the graph has {} edges", count, graph.edge_count()));
}

csr_graph with_weights(const csr_graph& graph, csr_graph::weight_array weights) {
  // The alternatives of the variant have the order of the types.
  require_new_weights(graph, static_cast<weight_type>(weights.index()),
                      std::visit([](const auto& numbers) { return numbers.size(); }, weights));
  return graph.with_weights(std::move(weights));
}

}  // namespace mlmq::graph
