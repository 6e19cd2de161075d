// SPDX-License-Identifier: Apache-2.0
// A graph as named on the command line: a file, or something to generate.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "graph/generate.hpp"
#include "graph/io.hpp"

namespace mlmq::cli {

/// Options that say how to read a graph file.
struct graph_options {
  std::string name;
  std::optional<std::uint64_t> weight_seed;
  bool ignore_weights = false;
  std::string weights;  ///< a type; "": as the graph has them
  std::string negative_weights = "refuse";
  bool directed = false;
  bool undirected = false;

  void add_to(CLI::App& command);
  /// @throws input_error for options that say how to read a file when there is none to read
  void check() const;
  [[nodiscard]] graph::read_options reading() const;
  /// The file, or the generated graph when there is no file of this name; its notes are printed. @throws input_error
  /// also as check()
  [[nodiscard]] graph::generated_graph load() const;
};

/// What a person should know of graphs that were read all the same: one line each on standard error.
void print_notes(std::span<const std::string> notes);

}  // namespace mlmq::cli
