// SPDX-License-Identifier: Apache-2.0
// Maps of the paper: squares of random size at random places on a square (or rectangular) map.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "problems/astar/grid.hpp"

namespace mlmq::astar {

/// What a text such as "grid512:density=0.2:eta=1:seed=1" generates. cells · density squares, whose upper left corners are
/// uniform over the map; a side is a number from the exponential distribution of rate eta, rounded down, and at least 1.
/// What lies beyond the map is cut off.
struct recipe {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  double density = 0.2;
  double eta = 1;
  std::uint64_t seed = 1;
  corner_rule corners = corner_rule::cut;
};

/// Whether it begins like such a text.
[[nodiscard]] bool looks_generated(std::string_view text);
/// @throws input_error saying what is wrong with it
[[nodiscard]] recipe recipe_of(const std::string& text);
/// The same text for equal recipes: size, density, eta, seed, corners.
[[nodiscard]] std::string text_of(const recipe& made);
/// The text without seed and corner rule.
[[nodiscard]] std::string family_of(const recipe& made);
[[nodiscard]] grid generate(const recipe& made);

}  // namespace mlmq::astar
