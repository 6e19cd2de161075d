// SPDX-License-Identifier: Apache-2.0
// Assigns trials to workers, and takes them back from workers that died.
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

/// Restrictions on the pending trials of an experiment that a worker may take.
struct claim_options {
  std::optional<std::int64_t> preferred_workload;  ///< the workload already loaded: its trials come first
  bool only_preferred = false;                     ///< takes no trials of other workloads
  std::optional<std::string> measurement;          ///< takes only trials of this measurement
  /// Without trials on the preferred workload, takes one of the workload with the fewest workers, and of several such
  /// workloads the largest. Small ones are left for the end, when workers share them.
  bool spread_over_workloads = false;
};

/// A workload with pending trials.
struct waiting_workload {
  std::int64_t workload = 0;
  std::size_t workers = 0;  ///< workers that are measuring on it
};

/// Cause of a worker's death, and the consequences for its trial.
struct worker_death {
  bool from_outside = false;  ///< another process killed it, so the trial is less likely the cause
  int most_crashes = 2;       ///< crashes after which the outcome is recorded
  int most_kills = 5;         ///< kills from outside after which the outcome is recorded
  /// A kill from outside counts only if the trial had been running for this long: the system does not kill a worker
  /// because of its trial (for lack of memory, say) right after the start.
  double kill_counts_after_s = 1;
  outcome result = outcome::crashed;
  std::string message;  ///< message of the trial if the outcome is recorded
  std::optional<std::int64_t> host;
  std::string program_version;
  std::string driver;
};

/// Outcome of the trials of a dead worker.
struct charge_result {
  std::size_t again = 0;     ///< trials and finals that are pending again
  std::size_t recorded = 0;  ///< trials that are done, because they have cost too many workers
};

/// Decides when running trials count as abandoned. Trials of dead workers of this host always do.
struct abandoned_policy {
  /// Trials whose worker cannot be checked (on another host) are abandoned if they were claimed longer ago than this.
  std::optional<std::chrono::seconds> stale_after;
  /// A trial that was abandoned in its n-th attempt, n >= give_up_after, ends as `crashed` instead
  /// of being tried again; 0: never.
  int give_up_after = 0;
};

class trial_claims : store_part {
 public:
  using store_part::store_part;

  /// Takes the next pending trial of the experiment for this device, ordered by workload, query and
  /// configuration. Never takes a trial of another worker. @param worker see db/worker.hpp
  [[nodiscard]] std::optional<pending_trial> claim(std::int64_t experiment, std::int64_t device,
                                                   const std::string& worker, const claim_options& options = {});
  /// Takes this trial if it is pending, for strategies that choose their next trial themselves.
  [[nodiscard]] std::optional<pending_trial> claim_trial(std::int64_t trial, const std::string& worker);
  /// Returns the next `limit` trials that claim() would return, without taking them, for compiling ahead.
  [[nodiscard]] std::vector<pending_trial> upcoming(std::int64_t experiment, std::int64_t device, std::size_t limit,
                                                    const claim_options& options = {}) const;
  /// Returns the workloads with pending trials, those with the fewest workers first, then the largest.
  [[nodiscard]] std::vector<waiting_workload> waiting_workloads(std::int64_t experiment, std::int64_t device,
                                                                const claim_options& options = {}) const;
  /// Returns the workloads with trials that are pending, or that any experiment is running.
  [[nodiscard]] std::vector<std::int64_t> unfinished_workloads(std::int64_t experiment, std::int64_t device) const;
  /// Returns whether this worker finished the trial.
  [[nodiscard]] bool was_finished_by(std::int64_t trial, const std::string& worker) const;
  /// Makes abandoned running trials pending again; their attempt counts stay. Returns the number of trials that stopped
  /// running.
  std::size_t release_abandoned(const abandoned_policy& policy = {});
  /// Makes all running trials of a worker that is known to be gone pending again.
  std::size_t release_worker(const std::string& worker, int give_up_after = 0);
  /// Charges the trials of a dead worker with its death. They become pending again or, if they have cost too many
  /// workers, done with the outcome and message of `death`.
  charge_result charge(const std::string& worker, const worker_death& death);
};

}  // namespace mlmq::db
