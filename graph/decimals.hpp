// SPDX-License-Identifier: Apache-2.0
// Decimal weights as whole numbers of 10^-k, so that every solver adds them without rounding.
#pragma once

#include <optional>

#include "graph/csr.hpp"

namespace mlmq::graph {

/// Largest k: more decimal places leave no room for a whole part in 32 bits.
inline constexpr unsigned most_decimal_places = 9;

/// Returns 10^places. @param places at most most_decimal_places
[[nodiscard]] double power_of_ten(unsigned places);

/// Returns the same graph (with its ids) with uint32 weights that count units of 10^-k, k being its decimal_places();
/// nothing if a weight is not the nearest double to a multiple of 10^-most_decimal_places, or if the length of a path
/// may exceed 32 bits.
/// @param graph has float32 or float64 weights
[[nodiscard]] std::optional<csr_graph> with_decimal_places(const csr_graph& graph);

/// Returns the same graph with the decimal numbers as float64 weights. @param graph has decimal_places()
[[nodiscard]] csr_graph with_decimals_as_floats(const csr_graph& graph);

/// Returns the largest number of units whose value is at most `limit`; saturated_distance if all are.
/// @param limit at least 0 @param units power_of_ten(decimal_places())
[[nodiscard]] distance_bits units_within(double limit, double units);

}  // namespace mlmq::graph
