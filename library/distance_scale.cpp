// SPDX-License-Identifier: Apache-2.0
#include "library/distance_scale.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "graph/decimals.hpp"
#include "problems/graphs/resident_graph.hpp"

namespace mlmq::detail {

distance_scale::distance_scale(const graph::csr_graph& graph, problem kind) {
  if (kind == problem::bfs) return;
  searched = graph.weights();
  decimal_places = graph.decimal_places();
}

double distance_scale::units() const { return graph::power_of_ten(decimal_places.value_or(0)); }

void distance_scale::write_values(std::span<const graph::distance_bits> words, std::span<double> values) const {
  const double per_unit = units();
  std::ranges::transform(words, values.begin(), [&](graph::distance_bits word) {
    return graph::distance_value(graph::weight_type::uint32, word) / per_unit;
  });
}

graph::wide_distance_bits distance_scale::word_within(double limit) const {
  if (searched == graph::weight_type::float64) return problems::wide_distance_word(limit);
  if (searched == graph::weight_type::uint32) return graph::units_within(limit, units());
  const double most = static_cast<double>(std::numeric_limits<float>::max());
  auto rounded = static_cast<float>(std::min(limit, most));
  // Rounding must not increase the limit.
  if (static_cast<double>(rounded) > limit) rounded = std::nextafter(rounded, 0.0F);
  return std::bit_cast<graph::distance_bits>(rounded + 0.0F);  // -0.0 becomes 0.0
}

}  // namespace mlmq::detail
