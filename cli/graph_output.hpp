// SPDX-License-Identifier: Apache-2.0
// Graphs that are written to a file or to standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <span>
#include <string>

#include "graph/csr.hpp"
#include "graph/io.hpp"

namespace mlmq::cli {

/// Where a graph goes, and in which format.
struct graph_output {
  std::string file;    ///< "-": standard output
  std::string format;  ///< a name; "": as the file's name tells

  void add_to(CLI::App& command);

  /// What the file will be in. Refuses, before any work is done, what could not be written or read again.
  /// @throws input_error
  [[nodiscard]] graph::file_format check() const;

  /// Writes all of it or nothing, and says what is in the file; of standard output only what is different there, on
  /// standard error. @param names as graph::write_graph(). @throws input_error, work_error
  void write(const graph::csr_graph& graph, graph::file_format as, std::span<const std::string> names = {}) const;
};

}  // namespace mlmq::cli
