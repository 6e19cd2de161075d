// SPDX-License-Identifier: Apache-2.0
// A graph that is named on the command line, a file or a generator, and the problems on graphs.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/generate.hpp"
#include "graph/io.hpp"
#include "library/conversions.hpp"
#include "mlmq/mlmq.hpp"
#include "problems/graphs/graph_workload.hpp"
#include "problems/shortest_paths/search.hpp"

namespace mlmq::cli {

/// Returns the name of a problem on graphs that the library solves.
[[nodiscard]] inline std::string problem_name(problem kind) {
  return std::string(
      problems::name_of(kind == problem::bfs ? problems::search_kind::bfs : problems::search_kind::sssp));
}

[[nodiscard]] inline std::string default_graph_problem() { return problem_name(problem::sssp); }

[[nodiscard]] inline std::vector<std::string> graph_problem_names() {
  return {problem_name(problem::sssp), problem_name(problem::bfs)};
}

/// @param name one of graph_problem_names()
[[nodiscard]] inline problem graph_problem(const std::string& name) {
  return name == problem_name(problem::bfs) ? problem::bfs : problem::sssp;
}

/// Options for reading a graph file.
struct graph_options {
  std::string name;
  std::optional<std::uint64_t> weight_seed;
  bool ignore_weights = false;
  std::string weights;  ///< weight type; "": the type of the graph
  std::string negative_weights = "refuse";
  bool directed = false;
  bool undirected = false;
  graph::named_columns columns;

  void add_to(CLI::App& command);
  /// @throws input_error for file options of a generated graph
  void check() const;
  [[nodiscard]] graph::read_options reading() const;
  /// Reads the file, or generates the graph if there is no such file, and prints its notes. @throws input_error also
  /// like check()
  [[nodiscard]] graph::generated_graph load() const;
};

/// Prints notes about graphs that were read, one line each, to standard error.
void print_notes(std::span<const std::string> notes);

/// Opens the graph. Decimal weights are searched as whole numbers if possible, unless --weights requests another type.
[[nodiscard]] inline digraph open_digraph(const graph_options& options) {
  options.check();
  graph::read_options reading = options.reading();
  reading.exact_decimals = true;
  return detail::open_digraph(options.name, reading);
}

}  // namespace mlmq::cli
