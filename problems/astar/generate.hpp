// SPDX-License-Identifier: Apache-2.0
// Generator for the maps of the paper: squares of random size at random places on a square (or rectangular) map.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "problems/astar/grid.hpp"

namespace mlmq::astar {

/// Parameters of a generated map, parsed from a text such as "grid512:density=0.2:eta=1:seed=1". The map has
/// cells · density squares, whose upper left corners are uniform over the map. A side is drawn from the exponential
/// distribution of rate eta, rounded down, and at least 1. Squares are clipped at the border of the map.
struct recipe {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  double density = 0.2;
  double eta = 1;
  std::uint64_t seed = 1;
  corner_rule corners = corner_rule::cut;
};

/// Returns whether a text begins like that of a generated map.
[[nodiscard]] bool looks_generated(std::string_view text);
/// Parses a text. @throws input_error describing the error
[[nodiscard]] recipe recipe_of(const std::string& text);
/// Returns the canonical text of a recipe: size, density, eta, seed, corners.
[[nodiscard]] std::string text_of(const recipe& settings);
/// Returns the canonical text without seed and corner rule.
[[nodiscard]] std::string family_of(const recipe& settings);
[[nodiscard]] grid generate(const recipe& settings);

}  // namespace mlmq::astar
