// SPDX-License-Identifier: Apache-2.0
// Helpers for the queries of this folder. Other code uses db/store.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "db/connection.hpp"
#include "db/records.hpp"
#include "db/text_pool.hpp"

namespace mlmq::db {

/// SQL expression of the current time: ISO 8601 in UTC.
inline constexpr const char* now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

/// Returns the id of the row of `table` with this content hash, which must exist.
[[nodiscard]] std::int64_t require_id(SQLite::Database& database, const char* table, const std::string& hash);

/// Reads a workload with its features. @throws std::invalid_argument for an unknown row
[[nodiscard]] workload_record read_workload(SQLite::Database& database, std::int64_t id);

/// Reads one column of the current row, as a type that bind_value() accepts.
template <typename T>
void read_value(SQLite::Statement& row, int column, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = row.getColumn(column).getInt() != 0;
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(row.getColumn(column).getInt64());
  } else if constexpr (std::is_same_v<T, outcome>) {
    value = outcome_from(row.getColumn(column).getString());
  } else if constexpr (std::is_same_v<T, double>) {
    value = row.getColumn(column).getDouble();
  } else {
    value = row.getColumn(column).getString();
  }
}
/// Reads NULL as an empty optional.
template <typename T>
void read_value(SQLite::Statement& row, int column, std::optional<T>& value) {
  value.reset();
  if (!row.isColumnNull(column)) read_value(row, column, value.emplace());
}

/// A text that read_all() stores in a pool.
struct pooled_text {
  text_pool& pool;
  std::string_view& text;
};
inline void read_value(SQLite::Statement& row, int column, pooled_text& value) {
  const SQLite::Column cell = row.getColumn(column);
  value.text = value.pool.share({cell.getText(), static_cast<std::size_t>(cell.getBytes())});
}

/// Reads the first columns of the current row, in the order selected.
template <typename... Values>
void read_all(SQLite::Statement& row, Values&&... values) {
  int column = 0;
  (read_value(row, column++, values), ...);
}

}  // namespace mlmq::db
