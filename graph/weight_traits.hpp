// SPDX-License-Identifier: Apache-2.0
// Traits of a weight type for algorithms: the bit patterns of its distances and weights, and their addition. For loops
// that run once per edge; for 4-byte types it is the same arithmetic as in arithmetic.hpp.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

#include "graph/arithmetic.hpp"
#include "graph/csr.hpp"

namespace mlmq::graph {

/// extend_by() does not support 8-byte floats.
template <>
distance_bits extend_by<weight_type::float64>(distance_bits distance, std::uint32_t weight_bits) noexcept = delete;

/// An edge with an 8-byte weight in one 16-byte piece, as kernels and CPU searches read it (wide_edges in kernels/).
struct alignas(16) wide_edge {
  std::uint64_t target;
  std::uint64_t weight_bits;
};

template <weight_type Type>
struct weight_traits {
  static constexpr weight_type type = Type;
  using bits = distance_bits;
  using weight = std::conditional_t<Type == weight_type::uint32, std::uint32_t, float>;
  static constexpr bits none = unreached;
  /// Returns the same as graph::extend().
  [[nodiscard]] static bits extend(bits distance, bits weight) noexcept { return extend_by<Type>(distance, weight); }
  [[nodiscard]] static std::span<const bits> weights_of(const csr_graph& graph) { return graph.weight_bits(); }
  /// Converts a weight, or a distance other than `none`, to a number.
  [[nodiscard]] static double number(bits value) noexcept {
    if constexpr (Type == weight_type::uint32) {
      return static_cast<double>(value);
    } else {
      return static_cast<double>(std::bit_cast<float>(value));
    }
  }
};

template <>
struct weight_traits<weight_type::float64> {
  static constexpr weight_type type = weight_type::float64;
  using bits = wide_distance_bits;
  using weight = double;
  static constexpr bits none = wide_unreached;
  [[nodiscard]] static bits extend(bits distance, bits weight) noexcept {
    return std::bit_cast<bits>(std::bit_cast<double>(distance) + std::bit_cast<double>(weight));
  }
  [[nodiscard]] static std::span<const bits> weights_of(const csr_graph& graph) { return graph.wide_weight_bits(); }
  [[nodiscard]] static double number(bits value) noexcept { return std::bit_cast<double>(value); }
};

/// Calls visit(weight_traits<type>()).
template <class Visitor>
decltype(auto) with_weight_traits(weight_type type, Visitor&& visit) {
  switch (type) {
    case weight_type::uint32:
      return visit(weight_traits<weight_type::uint32>());
    case weight_type::float32:
      return visit(weight_traits<weight_type::float32>());
    case weight_type::float64:
      break;
  }
  return visit(weight_traits<weight_type::float64>());
}

}  // namespace mlmq::graph
