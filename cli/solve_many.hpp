// SPDX-License-Identifier: Apache-2.0
// `mlmq solve GRAPH --sources …`: searches from many vertices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/result_options.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

/// What the command line asks for.
struct many_request {
  std::string sources;  ///< "all", "N:random", "N:random:SEED", or a file with an id a line
  std::string targets;  ///< a file with an id a line; empty: all vertices
  std::optional<double> cutoff;
  std::uint64_t memory_bytes = 0;  ///< 0: as the library has it
  std::string configuration = "auto";
  std::string model;   ///< a file; empty: none
  std::string output;  ///< NAME.npy or a folder; empty: none
  problem kind = problem::sssp;
  std::uint64_t shard = 1;  ///< from 1 on: which part of the searches is to be done here
  std::uint64_t shards = 1;
  unsigned tries = 3;
  double time_limit_ms = 600'000;
  bool check = false;
  result_options results = {};
};

/// @throws input_error that names --config
void check_batch_configuration(const std::string& label);

/// Searches, writes and prints. @return the exit status @throws input_error, work_error
/// @param where devices that share the searches, at least one
int solve_many(std::vector<device> where, const digraph& graph, const many_request& asked);

}  // namespace mlmq::cli
