// SPDX-License-Identifier: Apache-2.0
// `mlmq solve GRAPH --sources …`: searches from many vertices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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
  unsigned tries = 3;
  double time_limit_ms = 600'000;
  bool check = false;
};

/// Searches, writes and prints. @return the exit status @throws input_error, work_error
int solve_many(device& where, const digraph& graph, const many_request& asked);

}  // namespace mlmq::cli
