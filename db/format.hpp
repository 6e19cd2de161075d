// SPDX-License-Identifier: Apache-2.0
// Tables of text and their output formats.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::db {

enum class cell_kind { null, integer, real, text };

struct cell {
  cell_kind kind = cell_kind::null;
  std::string text;  ///< numbers in the shortest form that reads back exactly; empty when null

  friend bool operator==(const cell&, const cell&) = default;
};

[[nodiscard]] cell text_cell(std::string text);
[[nodiscard]] cell number_cell(double number);
[[nodiscard]] cell count_cell(std::size_t number);

/// Every row has as many cells as there are columns.
struct table {
  std::vector<std::string> columns;
  std::vector<std::vector<cell>> rows;
};

enum class table_format {
  aligned,  ///< aligned columns for people, numbers right-aligned
  csv,      ///< RFC 4180: header, CRLF; null is an empty field, an empty text is "", formulas as in csv_field()
  json,     ///< an array with one object per row; a repeated column name gets a suffix _2, _3, …
};

/// Returns the format with this name: "table", "csv" or "json". @throws input_error for any other name
[[nodiscard]] table_format table_format_from(std::string_view name);

/// Returns the lines of table_format::csv, for tables that are larger than the memory.
[[nodiscard]] std::string csv_header(const std::vector<std::string>& columns);
[[nodiscard]] std::string csv_line(const std::vector<cell>& row);

[[nodiscard]] std::string render(const table& rows, table_format format);

}  // namespace mlmq::db
