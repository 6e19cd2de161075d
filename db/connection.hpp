// SPDX-License-Identifier: Apache-2.0
// An open database file with this project's settings. All SQLite errors are translated into messages here. Only for the
// files of this folder and its tests; other code uses db/store.hpp.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "db/open_mode.hpp"

namespace mlmq::db {

class connection {
 public:
  /// Opens a database, checks that it belongs to this program, and with read_write_create creates it if it is missing.
  /// @throws input_error, work_error like store::open
  connection(const std::filesystem::path& file, open_mode mode, std::chrono::milliseconds busy_timeout);

  [[nodiscard]] SQLite::Database& database() noexcept { return *database_; }
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }

  /// Selects the trials that the views show. All readers of results use these views.
  /// @param code  newest, all, or the beginning of a kernel_source_hash
  /// @throws input_error if no trial has this code, or several versions begin with `code`
  void show_code(const std::string& code);
  /// Returns true if show_code("newest") found one version of the code of every configuration, so that each finished
  /// trial is the latest of its kind and none is hidden. May be false although this is the case.
  [[nodiscard]] bool shows_single_code() const noexcept { return shows_single_code_; }

  /// Returns whether file() still names the open file. A compressed database is unpacked into a temporary file and
  /// always in place.
  [[nodiscard]] bool is_in_place() const;
  /// Copies the open database to a new file in the folder of file(), or in the temporary folder if that fails. Then
  /// removes its log, which SQLite would otherwise apply to a file that has replaced the database.
  /// @return the new file
  /// @throws work_error if neither can be written
  std::filesystem::path rescue();

  /// Runs `work`, translating the exceptions of SQLite and of the JSON library, which do not name the file.
  template <typename Work>
  decltype(auto) guarded(Work&& work) const {
    // SQLite does not always keep the cause of an I/O error; errno still has it here.
    errno = 0;
    try {
      return std::forward<Work>(work)();
    } catch (const SQLite::Exception& error) {
      fail(error);
    } catch (...) {
      rethrow_with_file();
    }
  }

  /// Runs `work` in one write transaction, which takes the lock immediately: upgrading a read lock later could deadlock
  /// with another writer. Rolls back if `work` throws.
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

  /// Runs `work` on one snapshot of the database, for any number of statements.
  template <typename Work>
  auto read(Work&& work) {
    return guarded([&] {
      SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::DEFERRED);
      auto value = work();
      transaction.commit();
      return value;
    });
  }

  /// While another process keeps the database locked, `hook` is called every few milliseconds, for at most `timeout`;
  /// it must not use the database. Without a hook nothing is called.
  void on_busy(std::function<void()> hook, std::chrono::milliseconds timeout);

  /// @throws input_error or work_error with a one-line message: the file, the problem, and the remedy
  [[noreturn]] void fail(const SQLite::Exception& error) const;
  /// Throws the current exception, or an input_error for one of the JSON library.
  [[noreturn]] void rethrow_with_file() const;

 private:
  struct file_identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;  ///< 0: no file
    bool operator==(const file_identity&) const = default;
  };

  std::filesystem::path file_;
  std::optional<file_identity> identity_;                ///< identity of the open file; empty if unpacked
  std::map<std::string, file_identity> log_identities_;  ///< identities of the files of its write-ahead log, by ending
  std::chrono::milliseconds busy_timeout_;
  std::shared_ptr<const void> unpacked_;  ///< the folder of an unpacked database
  std::optional<SQLite::Database> database_;
  bool shows_single_code_ = false;
  std::function<void()> busy_hook_;
  std::chrono::steady_clock::time_point busy_since_;

  static int wait_busy(void* self, int waits) noexcept;
  /// @param ending  suffix of the file name: "" for the database, "-wal" and "-shm" for its log
  [[nodiscard]] file_identity identity_of_path(const std::string& ending = "") const;
  void note_identity();
  void note_log_identities();
  void open_compressed();
  void open_text();
};

/// Binds values that SQLiteCpp does not support: optionals, flags, and unsigned numbers that must fit.
void bind_value(SQLite::Statement& statement, int index, std::int64_t value);
void bind_value(SQLite::Statement& statement, int index, int value);
/// @throws input_error if the number needs the 64th bit, which SQLite does not support
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
