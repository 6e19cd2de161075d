// SPDX-License-Identifier: Apache-2.0
// The tables and views, and the upgrade of databases of older versions.
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
#include <span>
#include <string_view>

namespace SQLite {
class Database;
}

namespace mlmq::db {

/// "MLQW", stored in the file's header: distinguishes these databases from those of other programs.
inline constexpr int application_id = 0x4d4c5157;
/// "MLMQ": id of former versions, with graphs and sources instead of workloads and queries. No longer readable.
inline constexpr int former_application_id = 0x4d4c4d51;

/// One step from schema version n to n + 1. A published step never changes; a change of the schema
/// is a new step.
struct migration_step {
  std::string_view purpose;  ///< for the error message
  std::string_view sql;
  bool readers_need_it = true;  ///< false: the step does not change the meaning of data for readers
  void (*convert)(SQLite::Database& database) = nullptr;  ///< called after `sql`, for changes that SQL cannot express
};

/// Step i leads from version i to version i + 1; version 0 is an empty file.
[[nodiscard]] std::span<const migration_step> schema_steps();

/// Applies the missing steps, each in its own transaction, and creates the views with the last step. Safe if another
/// process does the same. A failing step leaves the database at the version before it.
/// @throws input_error naming both versions, if the database is newer than the program.
/// SQLite errors pass through (db/connection.hpp translates them).
void migrate(SQLite::Database& database, const std::filesystem::path& file, std::span<const migration_step> steps);

/// Returns the oldest version that can be read without an upgrade.
[[nodiscard]] int oldest_readable_version(std::span<const migration_step> steps);

/// Creates the views in the temporary schema of a connection, where they hide those of the file.
/// @param trials  SELECT of the rows of `trial` that the views show; empty: those of the newest kernel code
void create_session_views(SQLite::Database& database, std::string_view trials);

/// Checks that a database of schema version `version` has tables where this program has tables, and that a database of
/// the newest version has the views unchanged: another definition would run in their place.
/// @throws input_error naming the table or view that differs
void require_own_schema(SQLite::Database& database, int version, const std::filesystem::path& file);

/// Checks that this program supports the schema version. @throws input_error like migrate()
void require_known_version(int version, const std::filesystem::path& file, std::span<const migration_step> steps);

}  // namespace mlmq::db
