// SPDX-License-Identifier: Apache-2.0
// Readers and writers, one function per format and direction, for io.cpp. Callers have checked that the file exists and
// is not a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "graph/builder.hpp"
#include "graph/csr.hpp"
#include "graph/io.hpp"

namespace mlmq::graph {

/// Message for columns that are named for a file without columns.
inline constexpr const char* columns_need_table = "columns can only be named for a table of edges (.csv)";

/// Remarks of a reader about the file.
struct file_remarks {
  std::vector<std::string> notes;  ///< the notes of read_graph(), without the file's name
  bool lacks_weights = false;      ///< no edge has a weight
  bool lacks_direction = false;    ///< the file does not say whether edges are directed
  bool rounds_weights = false;     ///< weight_column::rounds()
  double build_ms = 0;             ///< time to make rows of the edges

  /// Returns build_csr() of the arguments, and adds its time.
  [[nodiscard]] csr_graph build(std::uint64_t vertices, const edge_list& edges, const build_options& options = {});
};

[[nodiscard]] csr_graph read_dimacs(const std::filesystem::path& file, const read_options& options,
                                    file_remarks& remarks);
[[nodiscard]] csr_graph read_galois(const std::filesystem::path& file, const read_options& options,
                                    file_remarks& remarks);
[[nodiscard]] csr_graph read_matrix_market(const std::filesystem::path& file, const read_options& options,
                                           file_remarks& remarks);
[[nodiscard]] csr_graph read_snap(const std::filesystem::path& file, const read_options& options,
                                  file_remarks& remarks);
[[nodiscard]] csr_graph read_metis(const std::filesystem::path& file, const read_options& options,
                                   file_remarks& remarks);
[[nodiscard]] csr_graph read_csv(const std::filesystem::path& file, const read_options& options, file_remarks& remarks);
/// Returns whether an edge list is a table: its first line with an edge names columns, separated by tabs, commas or
/// semicolons. @throws input_error like read_graph()
[[nodiscard]] bool starts_with_header(const std::filesystem::path& file);
[[nodiscard]] csr_graph read_scipy(const std::filesystem::path& file, const read_options& options,
                                   file_remarks& remarks);

/// Writers. If a format has its own vertex numbers and supports comments, a comment explains the numbers.
void write_dimacs(const csr_graph& graph, const std::filesystem::path& file);
void write_galois(const csr_graph& graph, const std::filesystem::path& file);
void write_matrix_market(const csr_graph& graph, const std::filesystem::path& file);
void write_snap(const csr_graph& graph, const std::filesystem::path& file);
void write_metis(const csr_graph& graph, const std::filesystem::path& file);
void write_csv(const csr_graph& graph, const std::filesystem::path& file);
void write_scipy(const csr_graph& graph, const std::filesystem::path& file);

/// Returns the number of edges that have both ends in common with an edge before them.
[[nodiscard]] std::uint64_t parallel_edge_count(const csr_graph& graph);

/// Describes the vertex numbers of a file in which they start at `first`: "vertices 0 to 8 are numbered 1 to 9 here";
/// "" if the vertices keep their ids.
[[nodiscard]] std::string renumbering(const csr_graph& graph, std::uint64_t first);

}  // namespace mlmq::graph
