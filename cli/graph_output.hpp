// SPDX-License-Identifier: Apache-2.0
// Writes graphs to a file or to standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "graph/csr.hpp"
#include "graph/io.hpp"

namespace mlmq::cli {

/// Destination and format of a graph.
struct graph_output {
  std::string file;    ///< "-": standard output
  std::string format;  ///< name; "": from the file name

  void add_to(CLI::App& command);

  /// Returns the format of the output. Checks, before any work is done, that the file can be written and read again.
  /// @throws input_error
  [[nodiscard]] graph::file_format check() const;

  /// Writes the whole graph or nothing, and prints a summary of the file. For standard output it only prints changes of
  /// the graph, to standard error. @throws input_error, work_error
  void write(const graph::csr_graph& graph, graph::file_format as) const;
};

}  // namespace mlmq::cli
