// SPDX-License-Identifier: Apache-2.0
#include "problems/betweenness/scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "graph/check.hpp"

namespace mlmq::betweenness {
namespace {

constexpr int bits_of_a_sum = 63;

int bits_of(std::uint64_t count) { return static_cast<int>(std::bit_width(count)); }

}  // namespace

score_units units_for(std::uint64_t vertices, std::uint64_t searches) {
  // A source adds at most n to a vertex, and at most one unit in the fraction.
  const int of_scores = bits_of(vertices) + bits_of(searches);
  return {.whole = std::ldexp(1.0, std::max(0, bits_of_a_sum - of_scores)),
          .fine = std::ldexp(1.0, bits_of_a_sum - bits_of(searches))};
}

double value_of(const fixed_score& sum, const score_units& units) {
  return (static_cast<double>(sum.whole) + static_cast<double>(sum.fine) / units.fine) / units.whole;
}

std::string message_of(path_fault fault, const graph::csr_graph& graph, const std::string& graph_name,
                       graph::vertex_id source) {
  const std::uint64_t id = graph.ids().id_of(source);
  switch (fault) {
    case path_fault::none:
      break;
    case path_fault::cycle:
      return fmt::format(
          "{}: shortest paths from vertex {} cannot be counted: edges that add nothing to a distance (of weight 0{}) "
          "form a cycle, such as an undirected edge",
          graph_name, id, graph.weights() == graph::weight_type::float32 ? ", or too small for a float32 sum" : "");
    case path_fault::too_many:
      return fmt::format("{}: vertex {} has more than {:.0e} shortest paths to another vertex", graph_name, id,
                         most_paths);
    case path_fault::too_far:
      return fmt::format("{}: from vertex {}: {}", graph_name, id, graph::saturated_message(graph.weights()));
  }
  return "";
}

}  // namespace mlmq::betweenness
