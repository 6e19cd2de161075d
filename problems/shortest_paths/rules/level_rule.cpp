// SPDX-License-Identifier: Apache-2.0
#include "problems/shortest_paths/rules/level_rule.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace mlmq::problems {
namespace {

// Fitted to 68 graphs on an NVIDIA H200 (docs/notebook/performance.md, levels pushed and pulled).
/// Minimum degree of a hub: roads and meshes have smaller degrees and many levels, power-law graphs have larger degrees
/// and few levels.
constexpr double least_hub = 64;
/// Limit for the estimated number of levels: a level costs 3 to 4 µs, a hop of a queue 1 µs.
constexpr double most_levels = 32;
/// Number of edges below which the barriers of a block cost more than its warps gain.
constexpr double edges_for_many_threads = 600'000;
/// Number of edges above which a graph has enough rows to keep all warps busy without cutting long rows into small
/// pieces.
constexpr double edges_for_long_rows = 1'500'000;

}  // namespace

std::optional<std::string> level_search_for(std::span<const std::string_view> names, std::span<const double> values) {
  const auto value = [&](std::string_view name) {
    const auto index = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    return index < values.size() ? values[index] : std::numeric_limits<double>::quiet_NaN();
  };
  const double edges = value("nnz");
  const double levels = value("hops");
  // A comparison with NaN is false.
  const bool has_hubs = value("max_nnz") >= least_hub;
  if (!has_hubs || std::isnan(edges) || levels > most_levels) return std::nullopt;
  if (edges < edges_for_many_threads) return level_searches[0];
  if (edges < edges_for_long_rows) return level_searches[1];
  return level_searches[2];
}

}  // namespace mlmq::problems
