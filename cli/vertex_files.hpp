// SPDX-License-Identifier: Apache-2.0
// Text files of vertices and distances: lists of vertices for the command line, and files with one line per vertex.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

[[nodiscard]] std::optional<std::uint64_t> whole_number_in(std::string_view text);

/// Reads vertices from a file with one id per line and comments after #, or, if there is no such file, from a
/// comma-separated list of ids. @throws input_error that names the option, or file and line
[[nodiscard]] std::vector<vertex> listed_vertices(const digraph& graph, const char* option, const std::string& text);

/// Returns the first line of a vertex file, which explains its columns.
[[nodiscard]] std::string vertex_file_header(const char* columns, const digraph& graph, vertex source);

/// Appends "ID DISTANCE" to a text; "inf" for unreachable vertices.
void add_distance_line(std::string& text, const digraph& graph, vertex v, double distance);

}  // namespace mlmq::cli
