// SPDX-License-Identifier: Apache-2.0
#include "graph/new_weights.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "graph/decimals.hpp"

namespace mlmq::graph {

void require_new_weights(const csr_graph& graph, weight_type type, std::size_t count) {
  const weight_type expected = graph.decimal_places() ? weight_type::float64 : graph.weights();
  if (type != expected)
    throw input_error(
        fmt::format("new weights of type {}: those of the graph are {}", name_of(type), name_of(expected)));
  if (count != graph.edge_count())
    throw input_error(fmt::format("{} new weights: the graph has {} edges", count, graph.edge_count()));
}

csr_graph with_weights(const csr_graph& graph, csr_graph::weight_array weights) {
  // The alternatives of the variant have the order of the types.
  require_new_weights(graph, static_cast<weight_type>(weights.index()),
                      std::visit([](const auto& numbers) { return numbers.size(); }, weights));
  csr_graph changed = graph.with_weights(std::move(weights));
  if (!graph.decimal_places()) return changed;
  return with_decimal_places(changed).value_or(changed);
}

}  // namespace mlmq::graph
