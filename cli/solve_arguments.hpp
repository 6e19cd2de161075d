// SPDX-License-Identifier: Apache-2.0
// The options of `mlmq solve`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/graph_problem.hpp"
#include "cli/graph_source.hpp"
#include "cli/result_options.hpp"
#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

struct solve_arguments {
  graph_options graph;
  std::string source;  ///< id or name; "": the default source
  std::string sources;
  std::string targets;
  std::string pairs;
  std::string path_sums;
  std::vector<std::string> reductions;
  bool reverse = false;
  std::optional<double> cutoff;
  std::uint64_t memory_bytes = 0;
  std::string shard = "1/1";
  std::string problem = default_graph_problem();
  std::string configuration = "auto";
  std::string model;
  std::string device = "auto";
  std::string output;
  std::string predecessors;
  std::string timeline;
  std::string query;
  unsigned repeat = 1;
  unsigned tries = 0;
  bool partition = false;
  double time_limit_ms = 60'000;
  std::optional<std::uint64_t> seed;
  bool check = false;
  bool counters = false;
  result_options results;

  /// Returns the kind of shortest paths, for a --problem on graphs.
  [[nodiscard]] mlmq::problem kind() const { return graph_problem(problem); }
  /// Opens the graph, and reverses its edges with --reverse. @throws input_error
  [[nodiscard]] digraph open_graph() const;
  /// Reads the quantities of --path-sums: one per edge of the opened graph. @throws input_error that names --path-sums
  [[nodiscard]] std::vector<std::uint32_t> read_quantities(const digraph& opened_graph) const;
  /// Returns the vertex of --source, or the default source of the graph. @throws input_error that names --source
  [[nodiscard]] vertex start_in(const digraph& opened_graph) const;
};

}  // namespace mlmq::cli
