// SPDX-License-Identifier: Apache-2.0
// Maps and scenarios in the formats of the MovingAI benchmarks, plain or compressed with gzip.
//   .map   lines "type octile", "height H", "width W", "map", then H rows of W letters
//   .scen  "version 1", then lines of nine fields: bucket, map, width, height, start column and row, goal column and
//          row, length of a shortest path
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "problems/astar/grid.hpp"

namespace mlmq::astar {

/// Reads a map. '.' and 'G' are free cells; '@', 'O', 'T', 'S' and 'W' are blocked.
/// @throws input_error "FILE:LINE: …"
[[nodiscard]] grid read_map(const std::filesystem::path& file, corner_rule corners);

/// One search with its known length.
struct scenario {
  std::uint32_t start = 0;  ///< a cell
  std::uint32_t goal = 0;
  double length = 0;  ///< length of a shortest path without corner cutting
  int line = 0;       ///< line number in the file
};

/// Tolerance of lengths in files, which may have only two decimals.
inline constexpr double length_tolerance = 0.0051;

struct scenario_file {
  std::vector<scenario> scenarios;
  std::string content;  ///< hash of the file's bytes, 16 digits
};

/// Reads scenarios.
/// @param map the map of the scenarios; starts and goals must be free cells
/// @param map_name the name of the map's file, without .gz
/// @throws input_error "FILE:LINE: …"
[[nodiscard]] scenario_file read_scenarios(const std::filesystem::path& file, const grid& map,
                                           const std::string& map_name);

}  // namespace mlmq::astar
