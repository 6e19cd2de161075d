// SPDX-License-Identifier: Apache-2.0
// Text files of vertices and distances: lists of vertices for the command line, and files with one line per vertex.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mlmq/mlmq.hpp"

namespace mlmq::cli {

/// Calls `read` with the words of each line of a text file that has any. A word that begins with # begins a comment.
/// Words with blanks or # are in quotes, as vertex_text() writes them.
/// @param option named in errors, with the file: "--pairs pairs.txt"
/// @param content what the lines are: "pairs"
/// @throws input_error if the file does not exist or has no such line; errors of `read` with file and line
void for_each_line(const std::string& option, const std::string& file, std::string_view content,
                   const std::function<void(std::span<const std::string> words)>& read);

[[nodiscard]] std::optional<std::uint64_t> whole_number_in(std::string_view text);

/// Reads vertices from a file with one vertex per line, or, if there is no such file, from a comma-separated list. A
/// vertex is the id or name in the graph's file. @throws input_error that names the option, or file and line
[[nodiscard]] std::vector<vertex> listed_vertices(const digraph& graph, const char* option, const std::string& text);

/// Returns the id or name of a vertex for a line of text or a CSV table: a name in quotes if it has blanks, quotes,
/// commas or #.
[[nodiscard]] std::string vertex_text(const digraph& graph, vertex v);

/// Returns the first line of a vertex file, which explains its columns.
[[nodiscard]] std::string vertex_file_header(const char* columns, const digraph& graph, vertex source);

}  // namespace mlmq::cli
