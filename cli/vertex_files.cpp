// SPDX-License-Identifier: Apache-2.0
#include "cli/vertex_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::cli {
namespace {

std::vector<vertex> in_file(const digraph& graph, const char* option, const std::string& file) {
  std::vector<vertex> vertices;
  for_each_line(fmt::format("{} {}", option, file), file, "vertices", [&](std::span<const std::string> words) {
    const auto value = words.size() == 1 ? whole_number_in(words.front()) : std::nullopt;
    if (!value) throw input_error(fmt::format("'{}' is not the id of a vertex", fmt::join(words, " ")));
    vertices.push_back(graph.vertex_of(*value));
  });
  return vertices;
}

}  // namespace

void for_each_line(const std::string& option, const std::string& file, std::string_view content,
                   const std::function<void(std::span<const std::string> words)>& read) {
  if (std::filesystem::is_directory(file)) throw input_error(fmt::format("{}: is a folder, not a file", option));
  std::ifstream stream(file);
  if (!stream) throw input_error(fmt::format("{}: there is no such file", option));
  bool has_lines = false;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    std::istringstream text(line.substr(0, line.find('#')));
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    if (words.empty()) continue;
    has_lines = true;
    try {
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
  const bool is_list = text.find(',') != std::string::npos || whole_number_in(text);
  if (!is_list || std::filesystem::exists(text, ignored)) return in_file(graph, option, text);
  std::vector<vertex> vertices;
  for (const std::string& id : split(text, ',')) {
    const auto value = whole_number_in(id);
    if (!value) throw input_error(fmt::format("{} {}: '{}' is not the id of a vertex", option, text, id));
    try {
      vertices.push_back(graph.vertex_of(*value));
    } catch (const input_error& error) {
      throw input_error(fmt::format("{} {}: {}", option, text, error.what()));
    }
  }
  return vertices;
}

std::string vertex_file_header(const char* columns, const digraph& graph, vertex source) {
  const vertex end = graph.vertex_count() - 1;
  const std::uint64_t first = graph.id_of(0);
  const std::uint64_t last = graph.id_of(end);
  const bool counted = first == 0 && last == end;
  return fmt::format("# {}, from vertex {} of {}; vertices {}, {} to {}\n", columns, graph.id_of(source), graph.name(),
                     counted ? "are counted from 0" : "have the ids of the graph's file", first, last);
}

void add_distance_line(std::string& text, const digraph& graph, vertex v, double distance) {
  if (std::isinf(distance)) {
    fmt::format_to(std::back_inserter(text), "{} inf\n", graph.id_of(v));
  } else {
    fmt::format_to(std::back_inserter(text), "{} {}\n", graph.id_of(v), distance);
  }
}

}  // namespace mlmq::cli
