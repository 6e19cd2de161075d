// SPDX-License-Identifier: Apache-2.0
// Queries of path finding: a set of searches, drawn from the free cells of the map, or scenarios of a file.
//   pairs=4096:seed=1                                    starts and goals uniform over the free cells
//   content=HASH:count=100:first=0:scenarios=NAME        those of a file beside the map's, from number `first` on; the hash
//                                                        is that of the file, so that another file is never taken for it
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "problems/astar/grid_workload.hpp"
#include "problems/astar/map_file.hpp"
#include "problems/astar/path_search.hpp"
#include "tuner/query.hpp"

namespace mlmq::astar {

/// Searches of one run, at most. The stamps of jump point search have 24 bits, one for each search and some to spare.
inline constexpr std::uint64_t most_searches = (std::uint64_t{1} << 24) - 3;

/// What a rule of `queries` may have: pairs, seed, scenarios, first, count.
[[nodiscard]] std::span<const tuner::named_meaning> pair_settings();

/// How many queries the rules make. @throws input_error at the place of a setting that is unknown or cannot be used
[[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules);

/// The queries that the rules make for a map, each once; without rules one of 4,096 drawn pairs.
/// @throws input_error at the place of a setting, also for scenarios that the map does not have
[[nodiscard]] std::vector<tuner::query> queries_of(const grid_workload& on, const tuner::query_rules& rules);

/// The name of the map's file without .gz, by which scenarios call it.
[[nodiscard]] std::string map_name_of(const grid_workload& on);
/// The scenarios of a file in the folder of the map's. @param name of the file, which may have .gz besides; "own": the map's
/// name with .scen
/// @throws input_error when there is none, for a map that is generated, and for what does not fit the map
[[nodiscard]] scenario_file scenarios_of(const grid_workload& on, const std::string& name);

/// The searches of one query.
struct search_set {
  std::vector<cell_pair> pairs;
  std::vector<double> printed;  ///< lengths by the file of scenarios, for each pair; empty for drawn pairs
};

/// @throws input_error for a query that is none of these, a file that is not there or not the same, a map without free
/// cells
[[nodiscard]] search_set searches_of(const grid_workload& on, const tuner::query& asked);

/// @param map has a free cell
[[nodiscard]] std::vector<cell_pair> drawn_pairs(const grid& map, std::uint64_t count, std::uint64_t seed);

}  // namespace mlmq::astar
