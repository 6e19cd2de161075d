// SPDX-License-Identifier: Apache-2.0
// The options of `mlmq solve`, and what it runs: one search, searches from many vertices, or another problem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/graph_source.hpp"
#include "cli/result_options.hpp"
#include "cli/step_times.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/registry.hpp"

namespace mlmq::cli {

struct solve_arguments {
  graph_options graph;    ///< its name may also be that of another workload
  std::string source;     ///< id or name; "": the default source
  std::string sources;    ///< "all", "N:random", "N:random:SEED", or a file with one id per line
  std::string targets;    ///< ids, or a file with one id per line; "": all vertices
  std::string pairs;      ///< file with two ids per line, instead of `sources`
  std::string path_sums;  ///< graph with the quantities
  std::vector<std::string> reductions;
  bool reverse = false;
  std::optional<double> cutoff;
  std::uint64_t memory_bytes = 0;  ///< 0: default of the library
  std::string shard = "1/1";
  std::string problem = default_graph_problem();
  std::string configuration = "auto";  ///< or KEY=VALUE,…
  std::string model;
  std::string device = "auto";
  std::string output;
  std::string predecessors;
  std::string timeline;
  std::string query;  ///< settings, NAME=VALUE:NAME=VALUE; "": the standard query
  unsigned repeat = 1;
  std::optional<unsigned> tries;
  bool partition = false;
  double time_limit_ms = 60'000;  ///< of each search
  std::optional<std::uint64_t> seed;
  bool check = false;
  bool counters = false;
  bool timings = false;
  result_options results;

  /// Returns the kind of shortest paths, for a --problem on graphs.
  [[nodiscard]] mlmq::problem kind() const { return graph_problem(problem); }
  [[nodiscard]] bool chooses_configuration() const { return configuration == "auto"; }
  /// Returns the model of --model: without the option the one installed for the device, or else the shipped one.
  /// @throws input_error
  [[nodiscard]] mlmq::model chosen_model() const;
  /// Returns whether devices compute results from the distances of many searches.
  [[nodiscard]] bool computes() const { return !reductions.empty() || !pairs.empty() || !path_sums.empty(); }
  /// @throws input_error for an invalid --config of shortest paths
  void check_configuration() const;
  /// Opens the graph, reverses its edges with --reverse, and prints its notes. Meanwhile opens the device, or devices
  /// that share the searches. @param selector value of --device @param steps receives the durations
  /// @throws input_error, and exceptions of the device
  [[nodiscard]] std::pair<digraph, mlmq::device> open(const std::string& selector, step_times& steps) const;
  /// Opens devices. @param selector value of --device
  [[nodiscard]] mlmq::device open_device(const std::string& selector) const;
  /// Adds the steps of searches. @param answers number of distances that the searches return
  void add_steps(step_times& steps, const digraph& searched, const solve_times& times, std::uint64_t answers) const;
};

// Each function solves, writes and prints what the options ask for.
// @return exit status @throws input_error, work_error, and exceptions of the device

/// Searches from one vertex to all others.
int solve_all_targets(const solve_arguments& options);
/// Searches from one vertex, until the distances of --targets are final or exceed --cutoff.
int solve_bounded(const solve_arguments& options);
/// Searches from many vertices, on one device or several.
int solve_many(const solve_arguments& options);
/// Solves another problem through the interfaces of the tuner. @param entry must have a hook
int solve_workload(const problems::problem_entry& entry, const solve_arguments& options);

}  // namespace mlmq::cli
