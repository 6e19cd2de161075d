// SPDX-License-Identifier: Apache-2.0
// The record of a sweep. Every call is one transaction: a process killed at any moment loses at
// most the trial it was measuring, and that trial is run again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/claims.hpp"
#include "db/open_mode.hpp"
#include "db/records.hpp"
#include "db/training.hpp"

namespace mlmq::db {

class connection;

/// Not for use by two threads at once: open one store per thread.
/// Any call may throw work_error for the database itself (disk full, locked, read-only, I/O) and
/// input_error when the file turns out to be damaged; the message names the file.
class store {
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

  // Inputs (inputs.cpp). Puts add what is missing and return the row's id. Names, labels and paths of a known row are
  // brought up to date; what makes its identity never changes.

  std::int64_t put_device(const device_record& device);
  std::int64_t put_host(const host_record& host);
  /// Features are added or replaced by name.
  std::int64_t put_workload(const workload_record& workload);
  std::int64_t put_configuration(const configuration_record& configuration);
  /// All in one transaction; ids in the order given.
  std::vector<std::int64_t> put_configurations(std::span<const configuration_record> configurations);
  /// @throws std::invalid_argument when there is no such row.
  [[nodiscard]] device_record device(std::int64_t id) const;
  [[nodiscard]] workload_record workload(std::int64_t id) const;
  /// All of them with their features, ordered by name and hash.
  [[nodiscard]] std::vector<workload_record> workloads() const;
  [[nodiscard]] configuration_record configuration(std::int64_t id) const;

  // Experiments and the trials that they plan (experiments.cpp).

  /// The same name, text and settings are the same experiment. @throws input_error when the
  /// settings are not JSON.
  std::int64_t put_experiment(const std::string& name, const std::string& space_text, const std::string& settings_json);
  /// In the order of creation.
  [[nodiscard]] std::vector<experiment_row> experiments() const;
  /// The experiment file as it was. @throws std::invalid_argument when there is no such row.
  [[nodiscard]] std::string experiment_text(std::int64_t id) const;
  /// The one of this name used last. @throws input_error when there is none, listing or suggesting
  /// names.
  [[nodiscard]] experiment_row find_experiment(const std::string& name) const;
  [[nodiscard]] progress experiment_progress(std::int64_t experiment) const;
  /// Adds the missing trials as pending and links all of them to the experiment. Returns how many
  /// are new; those already in the database, finished or not, stay as they are.
  std::size_t plan(std::int64_t experiment, std::span<const trial_key> keys);
  /// Row id of the trial, when it was ever planned.
  [[nodiscard]] std::optional<std::int64_t> find_trial(const trial_key& key) const;
  /// The trials of an experiment on one workload, query and device, in the order in which they were planned.
  [[nodiscard]] std::vector<planned_trial> planned_trials(std::int64_t experiment, std::int64_t workload,
                                                          const std::string& query, std::int64_t device) const;

  // Which worker runs what (claims.cpp).

  /// Takes the next pending trial of the experiment for this device, ordered by workload, query and
  /// configuration; never one that another worker has. `worker`: see db/worker.hpp.
  [[nodiscard]] std::optional<pending_trial> claim(std::int64_t experiment, std::int64_t device,
                                                   const std::string& worker, const claim_options& options = {});
  /// Takes this trial, or nothing when it is not pending: for strategies that choose their next
  /// trial themselves.
  [[nodiscard]] std::optional<pending_trial> claim_trial(std::int64_t trial, const std::string& worker);
  /// What claim would return next, at most `limit` of them, without taking them: for compiling
  /// ahead.
  [[nodiscard]] std::vector<pending_trial> upcoming(std::int64_t experiment, std::int64_t device, std::size_t limit,
                                                    const claim_options& options = {}) const;
  /// Whether the trial is done, and by this worker.
  [[nodiscard]] bool was_finished_by(std::int64_t trial, const std::string& worker) const;
  /// Makes abandoned running trials pending again (their attempt count stays). Returns how many
  /// stopped running.
  std::size_t release_abandoned(const abandoned_policy& policy = {});
  /// The same for all running trials of one worker known to be gone.
  std::size_t release_worker(const std::string& worker, int give_up_after = 0);
  /// The worker is gone: what it was measuring is charged with that, and is pending again or, having cost too many
  /// workers, done with the outcome and message of `death`.
  charge_result charge(const std::string& worker, const worker_death& death);

  // Results (results.cpp).

  /// Records the result with all its samples and counters, and marks the trial done. False when
  /// another worker had already finished it: the first result stays.
  /// @throws std::invalid_argument when a number is negative (times) or not finite, an ok time
  /// measurement has no samples, or there is no such trial; input_error when JSON in it is
  /// malformed.
  bool finish(std::int64_t trial, const trial_result& result);
  /// The shortest median so far, of right answers.
  [[nodiscard]] std::optional<double> best_time(const std::string& problem, std::int64_t device, std::int64_t workload,
                                                const std::string& query) const;
  /// Absent while the trial is not done.
  [[nodiscard]] std::optional<trial_summary> summary(std::int64_t trial) const;
  /// In the order measured, milliseconds.
  [[nodiscard]] std::vector<double> samples(std::int64_t trial) const;
  [[nodiscard]] std::map<std::string, double> counters(std::int64_t trial) const;
  /// Finished time measurements, newest per configuration, workload, query and device, failures
  /// included; relative to the best of those selected with the same problem, workload, query and
  /// device (training.cpp).
  [[nodiscard]] training_data training(const trial_filter& filter = {}) const;

  /// While another process keeps the database locked, `hook` is called every few milliseconds, for at most `patience`; it
  /// must not use this store, nor throw. None: nothing is called.
  void on_busy(std::function<void()> hook, std::chrono::milliseconds patience);

  [[nodiscard]] const std::filesystem::path& file() const;
  /// For the other files of db/ (db/connection.hpp).
  [[nodiscard]] connection& access() const { return *connection_; }

 private:
  std::unique_ptr<connection> connection_;
};

}  // namespace mlmq::db
