// SPDX-License-Identifier: Apache-2.0
// The tables and views.
//
// Views for users (`mlmq db query`):
//   result        one row per finished trial, with the names of everything it refers to
//   relative      one row per workload, query, device, configuration that is ok, and objective: relative to the best
//   work_count    one row per counter of a counters trial
//   latest        the trial that finished last among trials that differ only in the kernel's source
//   current_trial the finished trials of the newest kernel code, and all unfinished ones; all other views use it
//   superseded_code  code that newer code has replaced on a device
//   final_result  one row per finalist of a finished final, with its place and both medians
#pragma once

#include <filesystem>
#include <string_view>

namespace SQLite {
class Database;
}

namespace mlmq::db {

/// "MLQW", stored in the file's header: distinguishes these databases from those of other programs.
inline constexpr int application_id = 0x4d4c5157;
/// The version of the tables and views, `PRAGMA user_version`. A change of them needs another one; a further table does
/// not (add_tables()).
inline constexpr int schema_version = 6;

/// Creates the tables and views in an empty database, in one transaction. Safe if another process does the same.
/// SQLite errors pass through (db/connection.hpp translates them).
void create_schema(SQLite::Database& database);

enum class table_place { file, session };

/// Adds the tables that files of this version may lack.
/// @param place  session: in the temporary schema of the connection, for a file that is only read
void add_tables(SQLite::Database& database, table_place place);

/// Moves trials to the code that theirs counts as in all variants. A trial that this code has already stays.
void apply_equal_code(SQLite::Database& database);

/// Creates the views in the temporary schema of a connection, where they hide those of the file.
/// @param trials  SELECT of the rows of `trial` that the views show; empty: those of the newest kernel code
void create_session_views(SQLite::Database& database, std::string_view trials);

/// Checks that a database has the tables and the views of this program: another definition would run in their place.
/// @throws input_error naming the table or view that differs
void require_own_schema(SQLite::Database& database, const std::filesystem::path& file);

/// @throws input_error naming both versions, if the database has another version than the program
void require_schema_version(int version, const std::filesystem::path& file);

}  // namespace mlmq::db
