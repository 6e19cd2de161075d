// SPDX-License-Identifier: Apache-2.0
// How callers see the distances that searches leave: their type, their unit, and the conversion.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "graph/csr.hpp"
#include "mlmq/graph.hpp"
#include "mlmq/solver.hpp"

namespace mlmq::detail {

[[nodiscard]] constexpr number_type number_type_of(graph::weight_type type) noexcept {
  switch (type) {
    case graph::weight_type::uint32:
      return number_type::uint32;
    case graph::weight_type::float32:
      return number_type::float32;
    case graph::weight_type::float64:
      break;
  }
  return number_type::float64;
}
[[nodiscard]] constexpr graph::weight_type type_of(number_type type) noexcept {
  switch (type) {
    case number_type::uint32:
      return graph::weight_type::uint32;
    case number_type::float32:
      return graph::weight_type::float32;
    case number_type::float64:
      break;
  }
  return graph::weight_type::float64;
}

/// Distances of one graph and problem. Searches leave words of the type `searched`; callers receive numbers of the type
/// delivered(). These differ for decimal weights only, which are searched as whole numbers of 10^-decimal_places.
struct distance_scale {
  graph::weight_type searched = graph::weight_type::uint32;
  std::optional<unsigned> decimal_places = {};

  distance_scale() = default;
  distance_scale(const graph::csr_graph& graph, problem kind);

  [[nodiscard]] number_type delivered() const {
    return decimal_places ? number_type::float64 : number_type_of(searched);
  }
  /// Returns the number that a distance of 1 is in words: a power of ten.
  [[nodiscard]] double units() const;
  [[nodiscard]] double value_of(graph::distance_bits word) const {
    return graph::distance_value(searched, word) / units();
  }
  [[nodiscard]] double value_of(graph::wide_distance_bits word) const { return graph::distance_value(word); }
  /// Returns the value of a word of either size, which is the distance of a reached vertex.
  [[nodiscard]] double distance_in(std::uint64_t word) const {
    return searched == graph::weight_type::float64 ? value_of(word) : value_of(static_cast<graph::distance_bits>(word));
  }
  /// Writes the values of words that count decimals. @param values as many as there are words
  void write_values(std::span<const graph::distance_bits> words, std::span<double> values) const;
  /// Returns the word of the largest distance that is at most `limit`, which is at least 0.
  [[nodiscard]] graph::wide_distance_bits word_within(double limit) const;
};

}  // namespace mlmq::detail
