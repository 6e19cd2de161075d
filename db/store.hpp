// SPDX-License-Identifier: Apache-2.0
// The record of a sweep. Every call is one transaction: a process killed at any moment loses at most the trial it was
// measuring, and that trial is run again. Each part of the store has its own header.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "db/claims.hpp"
#include "db/experiments.hpp"
#include "db/inputs.hpp"
#include "db/open_mode.hpp"
#include "db/results.hpp"

namespace mlmq::db {

/// Not thread-safe: open one store per thread.
class store : public trial_inputs, public experiment_plans, public trial_claims, public trial_results {
 public:
  static constexpr std::chrono::milliseconds default_busy_timeout{30'000};

  /// Opens a database.
  /// @throws input_error if the file is missing (read_only), is not an SQLite database, belongs to another program, is
  ///   damaged, or has another schema version; work_error if the file or its folder cannot be created, opened or
  ///   written, or stays locked longer than `busy_timeout`
  [[nodiscard]] static store open(const std::filesystem::path& file, open_mode mode,
                                  std::chrono::milliseconds busy_timeout = default_busy_timeout);
  /// Opens a database to read the trials of one version of the kernel code.
  /// @param code  newest (only the newer code where it has replaced older code on a device), all, or the beginning of a
  ///   kernel_source_hash
  /// @throws like open(); input_error if no trial has this code, or several versions begin with `code`
  [[nodiscard]] static store open_record(const std::filesystem::path& file, const std::string& code);
  explicit store(std::unique_ptr<connection> opened);
  store(store&&) noexcept;
  store& operator=(store&&) noexcept;
  ~store();

  /// While another process keeps the database locked, `hook` is called every few milliseconds, for at most `timeout`;
  /// `hook` must not use this store and must not throw. Without a hook, nothing is called.
  void on_busy(std::function<void()> hook, std::chrono::milliseconds timeout);

  [[nodiscard]] const std::filesystem::path& file() const;
  /// Returns whether file() still names the open database, by device and inode. Costs one system call.
  [[nodiscard]] bool is_in_place() const;
  /// Does nothing if is_in_place(). Otherwise saves the open database in a new file.
  /// @throws work_error that names the new file, or explains why nothing could be saved
  void require_in_place() const;
  /// For the other files of db/ (db/connection.hpp).
  [[nodiscard]] connection& access() const { return *owned_; }

 private:
  std::unique_ptr<connection> owned_;
};

}  // namespace mlmq::db
