// SPDX-License-Identifier: Apache-2.0
// `mlmq solve GRAPH --source … --targets … --cutoff …`: one search that ends before all vertices are reached.
#pragma once

#include <optional>
#include <string>

#include "cli/result_options.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

/// What the command line asks for.
struct bounded_request {
  std::string targets;  ///< ids, or a file with an id a line; empty: all vertices
  std::optional<double> cutoff;
  std::string configuration = "auto";
  std::string output;  ///< a file, or "-"; empty: none
  problem kind = problem::sssp;
  double time_limit_ms = 60'000;
  bool check = false;
  result_options results = {};
};

/// Searches, writes and prints. @return the exit status @throws input_error, work_error
int solve_bounded(device& where, const digraph& graph, vertex source, const bounded_request& asked);

}  // namespace mlmq::cli
