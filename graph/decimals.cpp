// SPDX-License-Identifier: Apache-2.0
#include "graph/decimals.hpp"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "graph/distance_bound.hpp"

namespace mlmq::graph {
namespace {

/// Returns the number of units in a weight, or nothing if it is not the nearest double to a whole number of units.
std::optional<std::uint32_t> units_in(double weight, double units) {
  const double count = std::nearbyint(weight * units);
  // Division rounds correctly, unlike multiplication by 10^-k.
  if (count > static_cast<double>(largest_weight) || count / units != weight) return std::nullopt;
  return static_cast<std::uint32_t>(count);
}

}  // namespace

double power_of_ten(unsigned places) {
  static constexpr std::array<double, most_decimal_places + 1> powers = {1,   1e1, 1e2, 1e3, 1e4,
                                                                         1e5, 1e6, 1e7, 1e8, 1e9};
  return powers.at(places);
}

std::optional<csr_graph> with_decimal_places(const csr_graph& graph) {
  std::vector<std::uint32_t> weights;
  weights.reserve(graph.edge_count());
  unsigned places = 0;
  for (edge_offset i = 0; i < graph.edge_count();) {
    if (const auto count = units_in(graph.weight(i), power_of_ten(places))) {
      weights.push_back(*count);
      ++i;
      continue;
    }
    // A weight with more decimal places: count all again.
    if (++places > most_decimal_places) return std::nullopt;
    weights.clear();
    i = 0;
  }
  csr_graph whole = graph.with_weights(std::move(weights)).with_negated_weights(graph.negated_weights());
  constexpr std::uint64_t most = saturated_distance - 1;
  if (distance_bound().find(whole, most) > most) return std::nullopt;
  return whole.with_decimal_places(places);
}

csr_graph with_decimals_as_floats(const csr_graph& graph) {
  const double units = power_of_ten(graph.decimal_places().value());
  std::vector<double> weights(graph.edge_count());
  for (edge_offset i = 0; i < graph.edge_count(); ++i) weights[i] = graph.weight(i) / units;
  return graph.with_weights(std::move(weights)).with_negated_weights(graph.negated_weights());
}

distance_bits units_within(double limit, double units) {
  constexpr double most = saturated_distance;
  if (!(limit * units < most)) return saturated_distance;
  double count = std::floor(limit * units);
  // The product is rounded, so it may be off by one.
  if ((count + 1) / units <= limit) ++count;
  if (count / units > limit) --count;
  return static_cast<distance_bits>(count);
}

}  // namespace mlmq::graph
