// SPDX-License-Identifier: Apache-2.0
#include "cli/vertex_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "graph/file_ids.hpp"

namespace mlmq::cli {
namespace {

constexpr std::string_view blanks = " \t\r";

/// Removes the next piece from the front of a text: a field in quotes, as vertex_text() writes it, or all up to one of
/// the separators. @throws input_error if a quote is not closed
std::string next_piece(std::string_view& text, std::string_view separators) {
  std::string piece;
  if (!text.starts_with('"')) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    piece = text.substr(0, end);
    text.remove_prefix(end);
    return piece;
  }
  for (std::size_t position = 1; position < text.size(); ++position) {
    if (text[position] != '"') {
      piece += text[position];
    } else if (text.substr(position + 1).starts_with('"')) {
      piece += text[position++];
    } else {
      text.remove_prefix(position + 1);
      return piece;
    }
  }
  throw input_error(fmt::format("{}: the quote is not closed", text));
}

/// Returns the words of a line. A word that begins with # begins a comment.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty() || line.front() == '#') return words;
    words.push_back(next_piece(line, blanks));
  }
}

/// Returns the pieces between commas.
std::vector<std::string> list_of(std::string_view text) {
  std::vector<std::string> pieces = {next_piece(text, ",")};
  while (!text.empty()) {
    if (!text.starts_with(',')) throw input_error("text between a quoted name and the comma");
    text.remove_prefix(1);
    pieces.push_back(next_piece(text, ","));
  }
  return pieces;
}

std::vector<vertex> in_file(const digraph& graph, const char* option, const std::string& file) {
  std::vector<vertex> vertices;
  for_each_line(fmt::format("{} {}", option, file), file, "vertices", [&](std::span<const std::string> words) {
    vertices.push_back(graph.vertex_of(fmt::format("{}", fmt::join(words, " "))));
  });
  return vertices;
}

}  // namespace

void for_each_line(const std::string& option, const std::string& file, std::string_view content,
                   const std::function<void(std::span<const std::string> words)>& read) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw input_error(fmt::format("{}: is a folder, not a file", option));
  std::ifstream stream(file);
  if (!stream) throw input_error(fmt::format("{}: there is no such file", option));
  bool has_lines = false;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    try {
      const std::vector<std::string> words = words_of(line);
      if (words.empty()) continue;
      has_lines = true;
      read(words);
    } catch (const input_error& error) {
      throw input_error(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  if (!has_lines) throw input_error(fmt::format("{}: the file has no {}", option, content));
}

std::optional<std::uint64_t> whole_number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<vertex> listed_vertices(const digraph& graph, const char* option, const std::string& text) {
  std::error_code ignored;
  const bool is_list = text.find(',') != std::string::npos || graph::parse_id(text) || graph.has_names();
  if (!is_list || std::filesystem::exists(text, ignored)) return in_file(graph, option, text);
  std::vector<vertex> vertices;
  try {
    for (const std::string& name : list_of(text)) vertices.push_back(graph.vertex_of(name));
  } catch (const input_error& error) {
    throw input_error(fmt::format("{} {}: {}", option, text, error.what()));
  }
  return vertices;
}

std::string vertex_text(const digraph& graph, vertex v) {
  const std::string name = graph.name_of(v);
  if (name.find_first_of(" \t\r\n\",;#") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string_view("\"\"") : std::string_view(&c, 1);
  return quoted + '"';
}

std::string vertex_file_header(const char* columns, const digraph& graph, vertex source) {
  const std::string start =
      fmt::format("# {}, from vertex {} of {}; vertices", columns, vertex_text(graph, source), graph.name());
  if (graph.has_names()) return start + " have the names of the graph's file\n";
  const vertex end = graph.vertex_count() - 1;
  const std::uint64_t first = graph.id_of(0);
  const std::uint64_t last = graph.id_of(end);
  const bool counted = first == 0 && last == end;
  return fmt::format("{} {}, {} to {}\n", start, counted ? "are counted from 0" : "have the ids of the graph's file",
                     first, last);
}

}  // namespace mlmq::cli
