// SPDX-License-Identifier: Apache-2.0
// The record of a sweep. Every call is one transaction: a process killed at any moment loses at most the trial it was
// measuring, and that trial is run again. What it holds has a header for each part.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "db/claims.hpp"
#include "db/experiments.hpp"
#include "db/inputs.hpp"
#include "db/open_mode.hpp"
#include "db/results.hpp"

namespace mlmq::db {

/// Not for use by two threads at once: open one store per thread.
class store : public trial_inputs, public experiment_plans, public trial_claims, public trial_results {
 public:
  static constexpr std::chrono::milliseconds default_busy_timeout{30'000};

  /// @throws input_error when the file is missing (read_only), not an SQLite database, another
  /// program's, damaged, or of a newer version; work_error when it or its folder cannot be created,
  /// opened or written, or stays locked longer than `busy_timeout`.
  [[nodiscard]] static store open(const std::filesystem::path& file, open_mode mode,
                                  std::chrono::milliseconds busy_timeout = default_busy_timeout);
  explicit store(std::unique_ptr<connection> opened);
  store(store&&) noexcept;
  store& operator=(store&&) noexcept;
  ~store();

  /// While another process keeps the database locked, `hook` is called every few milliseconds, for at most `patience`; it
  /// must not use this store, nor throw. None: nothing is called.
  void on_busy(std::function<void()> hook, std::chrono::milliseconds patience);

  [[nodiscard]] const std::filesystem::path& file() const;
  /// For the other files of db/ (db/connection.hpp).
  [[nodiscard]] connection& access() const { return *owned_; }

 private:
  std::unique_ptr<connection> owned_;
};

}  // namespace mlmq::db
