// SPDX-License-Identifier: Apache-2.0
// `mlmq solve GRAPH --sources …`: multi-source searches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/result_options.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

/// Request of the command line.
struct multi_source_request {
  std::string sources;                         ///< "all", "N:random", "N:random:SEED", or a file with one id per line
  std::string targets;                         ///< file with one id per line; empty: all vertices
  std::string pairs;                           ///< file with two ids per line, instead of `sources`; empty: none
  std::string path_sums;                       ///< graph with the quantities; empty: none
  std::vector<std::uint32_t> quantities = {};  ///< of path_sums, one per edge
  std::vector<std::string> reductions = {};    ///< arguments of --reduce
  std::optional<double> cutoff;
  std::uint64_t memory_bytes = 0;  ///< 0: default of the library
  std::string configuration = "auto";
  std::string model;   ///< file; empty: none
  std::string output;  ///< NAME.npy, or NAME/ for a folder; empty: none
  problem kind = problem::sssp;
  std::uint64_t shard = 1;  ///< part of the searches to run, from 1
  std::uint64_t shards = 1;
  unsigned tries = 3;
  double time_limit_ms = 600'000;
  bool check = false;
  result_options results = {};

  /// Returns whether devices compute results from the distances.
  [[nodiscard]] bool computes() const { return !reductions.empty() || !pairs.empty() || !path_sums.empty(); }
};

/// @throws input_error that names --config
void check_multi_source_configuration(const std::string& label);

/// Runs the searches and writes the results. @return exit status @throws input_error, work_error
/// @param devices one, or several that share the searches
int solve_multi_source(const device& devices, const digraph& graph, const multi_source_request& request);

}  // namespace mlmq::cli
