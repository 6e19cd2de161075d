// SPDX-License-Identifier: Apache-2.0
// A graph that is named on the command line: a file or a generator.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "graph/generate.hpp"
#include "graph/io.hpp"

namespace mlmq::cli {

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

}  // namespace mlmq::cli
