// SPDX-License-Identifier: Apache-2.0
// Vertices and distances as text: lists that the command line names, and files with a line for each vertex.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

[[nodiscard]] std::optional<std::uint64_t> whole_number_in(std::string_view text);

/// The vertices of a file with an id a line, where what follows # is passed over; or, when there is no file of this name,
/// of ids with commas between them. @throws input_error that names the option, or file and line
[[nodiscard]] std::vector<vertex> listed_vertices(const digraph& graph, const char* option, const std::string& text);

/// The first line of a file about vertices: what its numbers mean.
[[nodiscard]] std::string vertex_file_header(const char* columns, const digraph& graph, vertex source);

/// Adds "ID DISTANCE" to a text; "inf" where no path leads.
void add_distance_line(std::string& text, const digraph& graph, vertex v, double distance);

}  // namespace mlmq::cli
