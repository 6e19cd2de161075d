// SPDX-License-Identifier: Apache-2.0
// How trials are given to workers, and taken from those that died.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/records.hpp"
#include "db/store_part.hpp"

namespace mlmq::db {

/// Which of an experiment's pending trials a worker may take.
struct claim_options {
  std::optional<std::int64_t> preferred_workload;  ///< the workload already loaded: its trials come first
  bool only_preferred = false;                     ///< nothing of other workloads
  std::optional<std::string> measurement;          ///< only these
  /// When there is nothing on the preferred workload: of a workload on which the fewest workers are.
  bool spread_over_workloads = false;
};

/// How a worker died, and what that means for what it was measuring.
struct worker_death {
  bool from_outside = false;  ///< something else killed it: less likely the trial's fault
  int most_crashes = 2;       ///< by itself: so many are a result
  int most_kills = 5;         ///< from outside: so many are a result
  /// A kill from outside counts only when the trial had been running for so long: whatever kills a worker because of
  /// its trial (the system, short of memory) does not do so at once.
  double kill_counts_after_s = 1;
  outcome result = outcome::crashed;
  std::string message;  ///< for a person, should it become the result
  std::optional<std::int64_t> host;
  std::string program_version;
  std::string driver;
};

/// What became of the trials of a dead worker.
struct charge_result {
  std::size_t again = 0;     ///< pending again (finals included)
  std::size_t recorded = 0;  ///< done: they have cost too many workers
};

/// When running trials count as abandoned. Those of dead workers of this host always do.
struct abandoned_policy {
  /// Trials whose worker cannot be checked (another host) count when claimed longer ago than this.
  std::optional<std::chrono::seconds> stale_after;
  /// A trial that was abandoned in its n-th attempt, n >= give_up_after, ends as `crashed` instead
  /// of being tried again; 0: never.
  int give_up_after = 0;
};

class trial_claims : store_part {
 public:
  using store_part::store_part;

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
};

}  // namespace mlmq::db
