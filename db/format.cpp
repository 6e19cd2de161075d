// SPDX-License-Identifier: Apache-2.0
#include "db/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace mlmq::db {
namespace {

/// Counts characters instead of bytes, so that names outside ASCII stay aligned.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

/// Replaces line breaks, which would break the table.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char character : printable(text)) {
    if (character == '\n') {
      line += "\\n";
    } else {
      line += character == '\t' ? ' ' : character;
    }
  }
  return line;
}

std::string render_aligned(const table& rows) {
  const std::size_t count = rows.columns.size();
  std::vector<std::size_t> widths(count);
  // Right-align columns of numbers, including their headings.
  std::vector<bool> numeric(count, !rows.rows.empty());
  for (std::size_t i = 0; i < count; ++i) widths[i] = width(one_line(rows.columns[i]));
  for (const auto& row : rows.rows) {
    for (std::size_t i = 0; i < count; ++i) {
      widths[i] = std::max(widths[i], width(one_line(row[i].text)));
      if (row[i].kind == cell_kind::text) numeric[i] = false;
    }
  }
  std::string output;
  const auto add_line = [&](auto text_of) {
    std::string line;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string text = one_line(text_of(i));
      const std::string padding(widths[i] - width(text), ' ');
      if (i > 0) line += "  ";
      line += numeric[i] ? padding + text : text + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    output += line + '\n';
  };
  add_line([&](std::size_t i) { return rows.columns[i]; });
  add_line([&](std::size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : rows.rows) {
    add_line([&](std::size_t i) { return row[i].text; });
  }
  return output;
}

std::string render_csv(const table& rows) {
  std::string output = csv_header(rows.columns);
  for (const auto& row : rows.rows) output += csv_line(row);
  return output;
}

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_value(const cell& value) {
  switch (value.kind) {
    case cell_kind::null:
      return "null";
    case cell_kind::text:
      return json_text(value.text);
    case cell_kind::integer:
      return value.text;
    case cell_kind::real:
      // JSON has no infinity.
      return std::isfinite(std::strtod(value.text.c_str(), nullptr)) ? value.text : "null";
  }
  return "null";
}

std::string render_json(const table& rows) {
  std::vector<std::string> keys;
  std::set<std::string> used;
  for (const std::string& column : rows.columns) {
    std::string key = column;
    for (int i = 2; !used.insert(key).second; ++i) key = fmt::format("{}_{}", column, i);
    keys.push_back(json_text(key));
  }
  std::string output = "[";
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    output += r > 0 ? ",\n {" : "\n {";
    for (std::size_t i = 0; i < keys.size(); ++i) {
      output += fmt::format("{}{}: {}", i > 0 ? ", " : "", keys[i], json_value(rows.rows[r][i]));
    }
    output += '}';
  }
  return output + (rows.rows.empty() ? "]\n" : "\n]\n");
}

}  // namespace

cell text_cell(std::string text) { return {cell_kind::text, std::move(text)}; }
cell number_cell(double number) { return {cell_kind::real, shortest_decimal(number)}; }
cell count_cell(std::size_t number) { return {cell_kind::integer, std::to_string(number)}; }

std::string csv_header(const std::vector<std::string>& columns) {
  std::string line;
  for (const std::string& column : columns) line += (line.empty() ? "" : ",") + csv_field(column);
  return line + "\r\n";
}

std::string csv_line(const std::vector<cell>& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    line += row[i].kind == cell_kind::text && row[i].text.empty() ? "\"\"" : csv_field(row[i].text);
  }
  return line + "\r\n";
}

table_format table_format_from(std::string_view name) {
  if (name == "table") return table_format::aligned;
  if (name == "csv") return table_format::csv;
  if (name == "json") return table_format::json;
  const std::vector<std::string> names{"table", "csv", "json"};
  throw input_error(fmt::format("unknown format '{}'{} (known: table, csv, json)", name, did_you_mean(name, names)));
}

std::string render(const table& rows, table_format format) {
  switch (format) {
    case table_format::aligned:
      return render_aligned(rows);
    case table_format::csv:
      return render_csv(rows);
    case table_format::json:
      return render_json(rows);
  }
  return {};
}

}  // namespace mlmq::db
