// SPDX-License-Identifier: Apache-2.0
// One open database file with this project's settings, and the one place that turns SQLite's errors
// into messages. Only for the files of this folder and its tests: everyone else uses db/store.hpp.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "db/open_mode.hpp"

namespace mlmq::db {

class connection {
 public:
  /// Opens, checks that it is ours, and (read_write_create) creates or upgrades it. A database of an older schema version
  /// that is opened for reading stays as it is; an upgraded copy in memory is read.
  /// @throws input_error, work_error as store::open.
  connection(const std::filesystem::path& file, open_mode mode, std::chrono::milliseconds busy_timeout);

  [[nodiscard]] SQLite::Database& database() noexcept { return *database_; }
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

  /// Lets the views, which all readers of results use, show other trials.
  /// @param code  newest, all, or the beginning of a kernel_source_hash
  /// @throws input_error when no trial has this code, or several versions begin like this
  void show_code(const std::string& code);

  /// Returns whether file() still names the open file. A compressed database is in memory and always in place.
  [[nodiscard]] bool is_in_place() const;
  /// Copies the open database to a new file in the folder of file(), or in the temporary folder if that fails. Then
  /// removes its log, which SQLite would otherwise apply to a file that has replaced the database.
  /// @return the new file
  /// @throws work_error when neither can be written
  std::filesystem::path rescue();

  /// Runs `work`, translating SQLite's exceptions.
  template <typename Work>
  decltype(auto) guarded(Work&& work) const {
    // What an I/O error was is not always kept by SQLite, but is then still here.
    errno = 0;
    try {
      return std::forward<Work>(work)();
    } catch (const SQLite::Exception& error) {
      fail(error);
    }
  }

  /// `work` in one write transaction, which takes the lock at once: a lock that were upgraded later
  /// could deadlock with another writer. Rolled back when `work` throws.
  template <typename Work>
  auto write(Work&& work) {
    return guarded([&] {
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
      if constexpr (std::is_void_v<decltype(work())>) {
        work();
        transaction.commit();
      } else {
        auto value = work();
        transaction.commit();
        return value;
      }
    });
  }

  /// `work` on one snapshot, however many statements it takes.
  template <typename Work>
  auto read(Work&& work) {
    return guarded([&] {
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::DEFERRED);
      auto value = work();
      transaction.commit();
      return value;
    });
  }

  /// While another process keeps the database locked, `hook` is called every few milliseconds, for at most `patience`; it
  /// must not use the database. Without a hook nothing is called.
  void on_busy(std::function<void()> hook, std::chrono::milliseconds patience);

  /// @throws input_error or work_error with one line: the file, what happened, what to do.
  [[noreturn]] void fail(const SQLite::Exception& error) const;

 private:
  struct file_identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;  ///< 0: no file
    bool operator==(const file_identity&) const = default;
  };

  std::filesystem::path file_;
  std::optional<file_identity> identity_;                ///< of the open file; empty in memory
  std::map<std::string, file_identity> log_identities_;  ///< of the files of its write-ahead log, by ending
  std::chrono::milliseconds busy_timeout_;
  std::optional<SQLite::Database> database_;
  std::function<void()> busy_hook_;
  std::chrono::steady_clock::time_point busy_since_;

  static int wait_busy(void* self, int waits) noexcept;
  /// @param ending  of the name: "" for the database, "-wal" and "-shm" for its log
  [[nodiscard]] file_identity identity_of_path(const std::string& ending = "") const;
  void note_identity();
  void note_log_identities();
  void open_compressed();
  /// Replaces a database of an older schema version, opened for reading, by an upgraded copy in memory.
  void read_upgraded_copy();
};

/// Binds to a statement what SQLiteCpp does not: optionals, flags, and unsigned numbers that must
/// fit.
void bind_value(SQLite::Statement& statement, int index, std::int64_t value);
void bind_value(SQLite::Statement& statement, int index, int value);
/// @throws input_error when the number needs the 64th bit, which SQLite does not have.
void bind_value(SQLite::Statement& statement, int index, std::uint64_t value);
void bind_value(SQLite::Statement& statement, int index, double value);
void bind_value(SQLite::Statement& statement, int index, bool value);
void bind_value(SQLite::Statement& statement, int index, const std::string& value);
void bind_value(SQLite::Statement& statement, int index, std::string_view value);
void bind_value(SQLite::Statement& statement, int index, const char* value);
template <typename T>
void bind_value(SQLite::Statement& statement, int index, const std::optional<T>& value) {
  if (value) {
    bind_value(statement, index, *value);
  } else {
    statement.bind(index);
  }
}

/// Binds `values` to ?1, ?2, … of a statement that may have run before.
template <typename... Values>
void bind_all(SQLite::Statement& statement, const Values&... values) {
  statement.reset();
  int index = 0;
  (bind_value(statement, ++index, values), ...);
}

template <typename... Values>
SQLite::Statement prepare(SQLite::Database& database, const std::string& sql, const Values&... values) {
  SQLite::Statement statement(database, sql);
  bind_all(statement, values...);
  return statement;
}

}  // namespace mlmq::db
