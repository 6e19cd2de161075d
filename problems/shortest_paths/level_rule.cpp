// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/level_rule.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace mlmq::problems {
namespace {

// By 68 graphs on an NVIDIA H200 (docs/notebook/performance.md, levels pushed and pulled).
/// Roads and meshes have no vertex of so many edges, and many levels; power laws have both otherwise.
constexpr double least_hub = 64;
/// Where the number of levels can be guessed: each costs 3 to 4 µs, a queue's hop one.
constexpr double most_levels = 32;
/// Smaller graphs have more barriers of a block than work for its warps.
constexpr double edges_for_many_threads = 600'000;
/// In larger ones there are so many rows that long ones need not be cut small for all warps to have work.
constexpr double edges_for_long_rows = 1'500'000;

}  // namespace

std::optional<std::string> level_search_for(std::span<const std::string_view> names, std::span<const double> values) {
  const auto value = [&](std::string_view name) {
    const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    return at < values.size() ? values[at] : std::numeric_limits<double>::quiet_NaN();
  };
  const double edges = value("nnz");
  const double levels = value("hops");
  // A comparison with an unknown number does not hold.
  const bool has_hubs = value("max_nnz") >= least_hub;
  if (!has_hubs || std::isnan(edges) || levels > most_levels) return std::nullopt;
  if (edges < edges_for_many_threads) return level_searches[0];
  if (edges < edges_for_long_rows) return level_searches[1];
  return level_searches[2];
}

}  // namespace mlmq::problems
