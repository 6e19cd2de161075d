// SPDX-License-Identifier: Apache-2.0
#include "graph/weight_rule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"

namespace mlmq::graph {
namespace {

constexpr std::uint32_t one_in_ten = 429496730;  // as a share of 2^32

/// Inverts the distribution function of the bounded Pareto of index 1: low * high / (high - u * (high - low)).
constexpr std::uint32_t pareto_weight(std::uint32_t draw) noexcept {
  constexpr std::uint64_t low = 10;
  constexpr std::uint64_t high = 1'000'000;
  return static_cast<std::uint32_t>(((low * high) << 32) / ((high << 32) - draw * (high - low)));
}

constexpr std::uint32_t weight_of(weight_distribution distribution, std::uint64_t bits) noexcept {
  switch (distribution) {
    case weight_distribution::unit:
      return 1;
    case weight_distribution::uniform:
      return 1 + scale_to(bits, 100);
    case weight_distribution::skewed:
      // The lower half of the bits selects the range, the upper half the value in it.
      return static_cast<std::uint32_t>(bits) < one_in_ten ? 501 + scale_to(bits, 1000) : 1 + scale_to(bits, 10);
    case weight_distribution::pareto:
      return pareto_weight(static_cast<std::uint32_t>(bits >> 32));
  }
  return 1;
}

}  // namespace

const std::vector<std::string>& weight_distribution_names() {
  static const std::vector<std::string> names{"unit", "uniform", "skewed", "pareto"};  // in the order of the enum
  return names;
}

std::string_view name_of(weight_distribution distribution) noexcept {
  return weight_distribution_names()[static_cast<std::size_t>(distribution)];
}

weight_distribution weight_distribution_from(std::string_view name) {
  const auto& names = weight_distribution_names();
  const auto match = std::find(names.begin(), names.end(), name);
  if (match == names.end()) {
    throw input_error(fmt::format("'{}' is not a weight distribution, expected {}{}", name, fmt::join(names, ", "),
                                  did_you_mean(name, names)));
  }
  return static_cast<weight_distribution>(match - names.begin());
}

std::uint32_t drawn_weight(const weight_rule& rule, vertex_id u, vertex_id v) noexcept {
  const auto [low, high] = std::minmax(u, v);
  return weight_of(rule.distribution, mix64({rule.seed, (std::uint64_t{low} << 32) | high}));
}

csr_graph with_drawn_weights(const csr_graph& graph, const weight_rule& rule) {
  struct storage {
    csr_graph original;
    std::vector<std::uint32_t> weights;
  };
  if (graph.edge_count() == 0) return graph;
  std::vector<std::uint32_t> weights(graph.edge_count());
  const auto offsets = graph.offsets();
  for (vertex_id u = 0; u < graph.vertex_count(); ++u) {
    for (edge_offset i = offsets[u]; i < offsets[u + std::size_t{1}]; ++i) {
      weights[i] = drawn_weight(rule, u, graph.targets()[i]);
    }
  }
  const auto owned = std::make_shared<const storage>(storage{.original = graph, .weights = std::move(weights)});
  return csr_graph(owned->original.offsets(), owned->original.targets(), owned->weights, weight_type::uint32, owned)
      .with_ids(graph.ids());
}

}  // namespace mlmq::graph
