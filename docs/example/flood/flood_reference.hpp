// SPDX-License-Identifier: Apache-2.0
// Height maps, and the sequential answer that the kernel's is compared with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <random>
#include <utility>
#include <vector>

namespace flood_example {

/// @param steepest heights are below this
inline std::vector<std::uint32_t> random_heights(std::uint32_t width, std::uint32_t height, std::uint32_t steepest,
                                                 std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> heights(std::size_t{width} * height);
  for (std::uint32_t& cell_height : heights) cell_height = static_cast<std::uint32_t>(random() % steepest);
  return heights;
}

/// Levels of the water by one priority queue, the lowest cell first: each cell is final when it is taken.
inline std::vector<std::uint32_t> levels(const std::vector<std::uint32_t>& heights, std::uint32_t width) {
  constexpr std::uint32_t dry = std::numeric_limits<std::uint32_t>::max();
  const auto height = static_cast<std::uint32_t>(heights.size() / width);
  std::vector<std::uint32_t> result(heights.size(), dry);
  using entry = std::pair<std::uint32_t, std::uint32_t>;  // level, cell
  std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting;
  const auto flood = [&](std::uint32_t cell, std::uint32_t level) {
    level = std::max(level, heights[cell]);
    if (level >= result[cell]) return;
    result[cell] = level;
    waiting.emplace(level, cell);
  };
  for (std::uint32_t cell = 0; cell < heights.size(); ++cell) {
    const std::uint32_t x = cell % width;
    const std::uint32_t y = cell / width;
    if (x == 0 || x + 1 == width || y == 0 || y + 1 == height) flood(cell, 0);
  }
  while (!waiting.empty()) {
    const auto [level, cell] = waiting.top();
    waiting.pop();
    const std::uint32_t x = cell % width;
    const std::uint32_t y = cell / width;
    if (x != 0) flood(cell - 1, level);
    if (x + 1 != width) flood(cell + 1, level);
    if (y != 0) flood(cell - width, level);
    if (y + 1 != height) flood(cell + width, level);
  }
  return result;
}

}  // namespace flood_example
