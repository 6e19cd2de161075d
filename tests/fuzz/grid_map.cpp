// SPDX-License-Identifier: Apache-2.0
// Maps and scenarios of the MovingAI benchmarks.
#include "problems/astar/map_file.hpp"

#include <string_view>

#include "base/error.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

using namespace mlmq;
using fuzz::require;

void mlmq::fuzz::grid_map(std::string_view content) {
  static memory_file file;
  static memory_file scenarios;
  // What follows the first 0 byte is the file of scenarios.
  const std::size_t end = content.find('\0');
  file.set(content.substr(0, end));
  scenarios.set(end == std::string_view::npos ? content : content.substr(end + 1));
  try {
    const astar::grid map = astar::read_map(file.path(), astar::corner_rule::none);
    for (const astar::scenario& scenario : astar::read_scenarios(scenarios.path(), map, "fuzz.map").scenarios) {
      require(map.is_free(scenario.start) && map.is_free(scenario.goal), "searches start and end in free cells");
      require(scenario.length >= 0, "lengths are numbers");
    }
  } catch (const input_error&) {
  }
}
