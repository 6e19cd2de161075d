// SPDX-License-Identifier: Apache-2.0
// The content of a database, independent of row ids and the order of rows.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mlmq::db::test {

/// Returns every row of every table as "table column=value …". Each reference to another row is replaced by the
/// identity of that row. All columns of the tables are included, so that a column that the code under test forgot shows
/// up. Tables that a merge leaves out (see db/merge.hpp) are not included.
inline std::multiset<std::string> dump(const std::filesystem::path& file,
                                       const std::set<std::string>& left_out_columns = {}) {
  SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
  const std::string trial_identity =
      "(SELECT c.hash || ' ' || w.hash || ' ' || t.query || ' ' || d.hash || ' ' || t.kernel_source_hash || ' ' || "
      "t.measurement FROM trial t JOIN configuration c ON c.id = t.configuration JOIN workload w ON w.id = t.workload "
      "JOIN "
      "device d ON d.id = t.device WHERE t.id = {})";
  std::multiset<std::string> rows;
  SQLite::Statement tables(database,
                           "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN "
                           "('session', 'final', 'finalist', 'final_sample') ORDER BY name");
  while (tables.executeStep()) {
    const std::string table = tables.getColumn(0).getString();
    std::map<std::string, std::string> references;
    SQLite::Statement keys(database, fmt::format("PRAGMA foreign_key_list({})", table));
    while (keys.executeStep()) references[keys.getColumn(3).getString()] = keys.getColumn(2).getString();
    std::vector<std::string> names;
    std::string columns;
    SQLite::Statement info(database, fmt::format("PRAGMA table_info({})", table));
    while (info.executeStep()) {
      const std::string name = info.getColumn(1).getString();
      if (name == "id" || left_out_columns.contains(name)) continue;
      const std::string column = fmt::format("{}.{}", table, name);
      std::string value = column;
      if (references.contains(name)) {
        value = references[name] == "trial"
                    ? fmt::format(fmt::runtime(trial_identity), column)
                    : fmt::format("(SELECT hash FROM {} r WHERE r.id = {})", references[name], column);
      }
      names.push_back(name);
      columns += (columns.empty() ? "" : ", ") + value;
    }
    SQLite::Statement row(database, fmt::format("SELECT {} FROM {}", columns, table));
    while (row.executeStep()) {
      std::string text = table;
      for (int i = 0; i < row.getColumnCount(); ++i) {
        const SQLite::Column value = row.getColumn(i);
        text += fmt::format(" {}={}", names[static_cast<std::size_t>(i)],
                            value.isNull()    ? "NULL"
                            : value.isFloat() ? fmt::format("{}", value.getDouble())
                                              : value.getString());
      }
      rows.insert(text);
    }
  }
  return rows;
}

}  // namespace mlmq::db::test
