// SPDX-License-Identifier: Apache-2.0
// Queries of path finding: a set of searches, drawn from the free cells of the map or read from a scenario file.
//   pairs=4096:seed=1                                    starts and goals uniform over the free cells
//   concurrent=512:pairs=4096:seed=1                     the same, 512 of them at a time
//   content=HASH:count=100:first=0:scenarios=NAME        scenarios of a file in the map's folder, starting at number
//                                                        `first`; HASH, of its content, identifies the file
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

/// Maximum number of searches per run. Jump point search has 24-bit stamps and needs one per search plus a few more.
inline constexpr std::uint64_t most_searches = (std::uint64_t{1} << 24) - 3;

/// Returns the settings of a rule of `queries`: pairs, seed, concurrent, scenarios, first, count.
[[nodiscard]] std::span<const tuner::named_meaning> pair_settings();

/// Returns the number of queries that the rules make.
/// @throws input_error at the place of a setting that is unknown or invalid
[[nodiscard]] std::uint64_t count_queries(const tuner::query_rules& rules);

/// Returns the queries that the rules make for a map, without duplicates; without rules, one query of 4,096 drawn
/// pairs.
/// @throws input_error at the place of a setting, also if the map does not have the scenarios
[[nodiscard]] std::vector<tuner::query> queries_of(const grid_workload& workload, const tuner::query_rules& rules);

/// Returns the name of the map's file without .gz, which scenarios refer to.
[[nodiscard]] std::string map_name_of(const grid_workload& workload);
/// Reads the scenarios of a file in the map's folder.
/// @param requested_name name of the file, to which .gz is added if necessary; "own": the map's name with .scen
/// @throws input_error if the file does not exist or does not fit the map, or if the map is generated
[[nodiscard]] scenario_file scenarios_of(const grid_workload& workload, const std::string& requested_name);

/// The searches of one query.
struct search_set {
  std::vector<cell_pair> pairs;
  std::vector<double> printed;   ///< length of each pair according to the scenario file; empty for drawn pairs
  std::uint64_t concurrent = 0;  ///< searches at a time; 0: as the configuration says
};

/// Returns the searches of a query.
/// @throws input_error for an unknown query, a missing or changed file, or a map without free cells
[[nodiscard]] search_set searches_of(const grid_workload& workload, const tuner::query& query);

/// Draws pairs of free cells. @param map must have a free cell
[[nodiscard]] std::vector<cell_pair> drawn_pairs(const grid& map, std::uint64_t count, std::uint64_t seed);

}  // namespace mlmq::astar
