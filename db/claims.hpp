// SPDX-License-Identifier: Apache-2.0
// How trials are given to workers, and taken from those that died. The calls are those of db/store.hpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "db/records.hpp"

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

}  // namespace mlmq::db
