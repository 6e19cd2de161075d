// SPDX-License-Identifier: Apache-2.0
// `mlmq solve GRAPH --source … --targets … --cutoff …`: one search that may end before all vertices are reached.
#pragma once

#include <optional>
#include <string>

#include "cli/result_options.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

/// Request of the command line.
struct bounded_request {
  std::string targets;  ///< ids, or a file with one id per line; empty: all vertices
  std::optional<double> cutoff;
  std::string configuration = "auto";
  std::string output;  ///< file or "-"; empty: none
  problem kind = problem::sssp;
  double time_limit_ms = 60'000;
  bool check = false;
  result_options results = {};
};

/// Runs the search and writes the results. @return exit status @throws input_error, work_error
int solve_bounded(device& search_device, const digraph& graph, vertex source, const bounded_request& request);

}  // namespace mlmq::cli
