// SPDX-License-Identifier: Apache-2.0
#include "problems/astar/map_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/hash.hpp"
#include "problems/astar/text_lines.hpp"

namespace mlmq::astar {
namespace {

/// Reads a line "WORD N" and returns N.
std::uint32_t read_side(text_lines& lines, std::string_view word) {
  const auto line = lines.next();
  if (!line) lines.fail_for_file(fmt::format("the file ends before the line '{} N'", word));
  const std::size_t blank = line->find_first_of(" \t");
  const auto side = line->substr(0, blank) == word && blank != std::string_view::npos
                        ? number_in<std::uint64_t>(line->substr(line->find_last_of(" \t") + 1))
                        : std::nullopt;
  if (!side) lines.fail(fmt::format("expected '{} N', got '{}'", word, excerpt(*line)));
  if (*side < 1 || *side > longest_side) {
    lines.fail(fmt::format("{} {}: expected 1 to {} cells", word, *side, longest_side));
  }
  return static_cast<std::uint32_t>(*side);
}

void read_type(text_lines& lines) {
  const auto line = lines.next();
  if (!line) lines.fail_for_file("the file is empty");
  if (!line->starts_with("type")) {
    lines.fail(fmt::format("expected 'type octile', the first line of a map, got '{}'", excerpt(*line)));
  }
  const std::size_t begin = line->find_first_not_of(" \t", 4);
  const std::string_view type = begin == std::string_view::npos ? std::string_view() : line->substr(begin);
  if (type != "octile") lines.fail(fmt::format("maps of type '{}' are not supported, expected octile", excerpt(type)));
}

void read_row(const text_lines& lines, std::string_view row, std::uint32_t width, std::vector<bool>& free) {
  if (row.size() != width) {
    lines.fail(fmt::format("a row of {} letters, but the map is {} wide", row.size(), width));
  }
  for (std::size_t i = 0; i < row.size(); ++i) {
    const char letter = row[i];
    const bool is_free = letter == '.' || letter == 'G';
    if (!is_free && std::string_view("@OTSW").find(letter) == std::string_view::npos) {
      lines.fail(fmt::format("unknown letter '{}' in column {}; known: . G (free) and @ O T S W (blocked)",
                             excerpt(row.substr(i, 1)), i));
    }
    free.push_back(is_free);
  }
}

struct place {
  std::uint32_t column = 0;
  std::uint32_t row = 0;
};

constexpr std::size_t fields_of_scenario = 9;

/// Splits a line at tabs and blanks.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = line.find_first_not_of(" \t"); begin != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(" \t", begin);
    fields.push_back(line.substr(begin, end - begin));
    begin = end == std::string_view::npos ? end : line.find_first_not_of(" \t", end);
  }
  return fields;
}

std::uint32_t whole(const text_lines& lines, std::string_view field, std::string_view meaning) {
  const auto number = number_in<std::uint32_t>(field);
  if (!number) lines.fail(fmt::format("{} '{}' is not a whole number", meaning, excerpt(field)));
  return *number;
}

std::uint32_t free_cell(const text_lines& lines, const grid& map, const place& position, std::string_view meaning) {
  if (position.column >= map.width() || position.row >= map.height()) {
    lines.fail(fmt::format("the {} {},{} is outside the map, which is {} x {}", meaning, position.column, position.row,
                           map.width(), map.height()));
  }
  const std::uint32_t cell = map.cell(position.column, position.row);
  if (!map.is_free(cell))
    lines.fail(fmt::format("the {} {},{} is on an obstacle", meaning, position.column, position.row));
  return cell;
}

scenario scenario_of(const text_lines& lines, std::string_view line, const grid& map, const std::string& map_name) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields.size() != fields_of_scenario) {
    lines.fail(fmt::format("expected the {} fields of a scenario, got {}", fields_of_scenario, fields.size()));
  }
  const std::string named = std::filesystem::path(std::string(fields[1])).filename().string();
  if (named != map_name)
    lines.fail(fmt::format("the scenario is for the map {}, not for {}", excerpt(named), map_name));
  const std::uint32_t width = whole(lines, fields[2], "the width");
  const std::uint32_t height = whole(lines, fields[3], "the height");
  if (width != map.width() || height != map.height()) {
    lines.fail(fmt::format("the scenario is for a map of {} x {} cells, but {} has {} x {}", width, height, map_name,
                           map.width(), map.height()));
  }
  scenario result;
  result.start = free_cell(
      lines, map, {whole(lines, fields[4], "the start's column"), whole(lines, fields[5], "the start's row")}, "start");
  result.goal = free_cell(
      lines, map, {whole(lines, fields[6], "the goal's column"), whole(lines, fields[7], "the goal's row")}, "goal");
  const auto length = number_in<double>(fields[8]);
  if (!length || !std::isfinite(*length) || *length < 0) {
    lines.fail(fmt::format("the length '{}' is not a number of at least 0", excerpt(fields[8])));
  }
  result.length = *length;
  result.line = lines.number();
  return result;
}

}  // namespace

grid read_map(const std::filesystem::path& file, corner_rule corners) {
  text_lines lines(file);
  read_type(lines);
  const std::uint32_t height = read_side(lines, "height");
  const std::uint32_t width = read_side(lines, "width");
  const auto head = lines.next();
  if (!head || *head != "map") {
    if (!head) lines.fail_for_file("the file ends before the line 'map'");
    lines.fail(fmt::format("expected 'map', got '{}'", excerpt(*head)));
  }
  std::vector<bool> free;
  free.reserve(std::size_t{width} * height);
  for (std::uint32_t row = 0; row < height; ++row) {
    const auto line = lines.next();
    if (!line) lines.fail_for_file(fmt::format("the file ends after {} of {} rows", row, height));
    read_row(lines, *line, width, free);
  }
  while (const auto line = lines.next()) {
    if (!line->empty()) lines.fail(fmt::format("unexpected text after the {} rows of the map", height));
  }
  return {width, height, std::move(free), corners};
}

scenario_file read_scenarios(const std::filesystem::path& file, const grid& map, const std::string& map_name) {
  text_lines lines(file);
  const auto version = lines.next();
  if (!version) lines.fail_for_file("the file is empty");
  if (!version->starts_with("version 1")) {
    lines.fail(fmt::format("expected 'version 1', the first line of scenarios, got '{}'", excerpt(*version)));
  }
  scenario_file read;
  while (const auto line = lines.next()) {
    if (line->find_first_not_of(" \t") == std::string_view::npos) continue;
    read.scenarios.push_back(scenario_of(lines, *line, map, map_name));
  }
  if (read.scenarios.empty()) lines.fail_for_file("the file has no scenarios");
  read.content = content_hash().add(lines.bytes()).hex().substr(0, 16);
  return read;
}

}  // namespace mlmq::astar
