// SPDX-License-Identifier: Apache-2.0
#include "problems/peers/whole_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace mlmq::peers {
namespace {

/// Returns the candidate factors, in ascending order.
std::vector<std::uint32_t> factors() {
  constexpr unsigned most_doublings = 20;
  constexpr std::uint32_t largest_power_of_ten = 1'000'000;
  std::vector<std::uint32_t> candidates;
  for (unsigned i = 0; i <= most_doublings; ++i) candidates.push_back(std::uint32_t{1} << i);
  for (std::uint32_t ten = 10; ten <= largest_power_of_ten; ten *= 10) candidates.push_back(ten);
  std::sort(candidates.begin(), candidates.end());
  return candidates;
}

/// Returns the integer that represents a weight, if the factor is exact. @tparam Float the type of the weight
template <class Float>
std::optional<std::uint32_t> scaled(double weight, std::uint32_t factor) {
  constexpr double largest = 0x7FFFFFFF;  // readers have signed weights
  const double whole = std::nearbyint(weight * factor);
  if (whole > largest) return std::nullopt;
  const bool is_exact = whole / factor == weight && std::fma(weight, factor, -whole) == 0;
  const bool is_decimal = whole < std::pow(10.0, std::numeric_limits<Float>::digits10) &&
                          static_cast<double>(static_cast<Float>(whole / factor)) == weight;
  if (!is_exact && !is_decimal) return std::nullopt;
  return static_cast<std::uint32_t>(whole);
}

template <class Float>
std::optional<scaled_graph> scaled_by_smallest(const graph::csr_graph& graph) {
  std::vector<std::uint32_t> weights(graph.edge_count());
  for (const std::uint32_t factor : factors()) {
    bool fits = true;
    for (graph::edge_offset edge = 0; fits && edge < graph.edge_count(); ++edge) {
      const std::optional<std::uint32_t> whole = scaled<Float>(graph.weight(edge), factor);
      fits = whole.has_value();
      weights[edge] = whole.value_or(0);
    }
    if (!fits) continue;
    return scaled_graph{.graph = graph::csr_graph({graph.offsets().begin(), graph.offsets().end()},
                                                  {graph.targets().begin(), graph.targets().end()}, std::move(weights))
                                     .with_ids(graph.ids()),
                        .factor = factor};
  }
  return std::nullopt;
}

}  // namespace

std::optional<scaled_graph> with_whole_weights(const graph::csr_graph& graph) {
  switch (graph.weights()) {
    case graph::weight_type::float32:
      return scaled_by_smallest<float>(graph);
    case graph::weight_type::float64:
      return scaled_by_smallest<double>(graph);
    case graph::weight_type::uint32:
      break;
  }
  return scaled_graph{.graph = graph, .factor = 1};
}

}  // namespace mlmq::peers
