// SPDX-License-Identifier: Apache-2.0
// Runs read-only SQL queries of users.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "db/format.hpp"
#include "db/store.hpp"

namespace SQLite {
class Statement;
}

namespace mlmq::db {

/// Runs one SELECT (or a PRAGMA that describes tables) and returns all its rows; a blob is shown as
/// hexadecimal digits. db/schema.hpp lists the views meant for this.
/// @throws input_error if the text is not one statement, would change anything, or is rejected by SQLite (with a
/// suggestion for a misspelt table), and like store::open
[[nodiscard]] table run_query(const std::filesystem::path& file, const std::string& sql,
                              const std::string& code = "newest");
[[nodiscard]] table run_query(const store& source, const std::string& sql);

/// Returns the current row of a prepared statement. For the files of db/.
[[nodiscard]] std::vector<cell> fetch_row(const SQLite::Statement& statement);

/// Returns all rows of a prepared statement. For the files of db/.
[[nodiscard]] table fetch_all(SQLite::Statement& statement);

}  // namespace mlmq::db
