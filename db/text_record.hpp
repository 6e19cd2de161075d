// SPDX-License-Identifier: Apache-2.0
// Records as sorted text, for version control: new trials change few lines, where a compressed database changes as a
// whole. docs/reference/database.md describes the format.
#pragma once

#include <filesystem>

namespace SQLite {
class Database;
}

namespace mlmq::db {

/// Returns whether a file is a record as text, by the end of its name: ".trials".
[[nodiscard]] bool is_text_record(const std::filesystem::path& file);

/// Writes the finished trials of a database as text. Equal results have equal texts, whatever the order in which they
/// were measured or merged. Of what a compact record has, times spent, attempts, metrics and functions of kernels are
/// left out, the time of a trial becomes that of the newest one of its series, and a spread has four digits.
/// @throws work_error if the file cannot be written; SQLite errors pass through
void write_text_record(SQLite::Database& database, const std::filesystem::path& file);

/// Adds the trials of a text to a new database that has tables and no rows.
/// @throws input_error naming the file and line, if it is not such a text; SQLite errors pass through
void read_text_record(const std::filesystem::path& file, SQLite::Database& database);

}  // namespace mlmq::db
