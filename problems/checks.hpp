// SPDX-License-Identifier: Apache-2.0
// The checks of `mlmq check`, which run kernels under many schedules of the simulator. Each folder registers its own
// checks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/registration.hpp"

namespace mlmq::problems {

/// The user's request to a check.
struct check_request {
  std::vector<std::string> subjects;  ///< some of check_entry::subjects(); empty: all
  std::uint64_t schedules = 240;      ///< number per subject; schedule i has the seed `seed` + i
  std::uint64_t seed = 1;
  unsigned jobs = 0;  ///< threads, each with its own simulators; 0: one per core
  /// Values by the names of check_entry::settings; the check chooses those that are absent.
  std::map<std::string, std::vector<std::string>> settings = {};
  std::string kernels = {};  ///< folder of the kernel sources; empty: backends::kernel_folder()
};

/// The schedules of one subject.
struct check_row {
  std::string subject;
  std::uint64_t schedules = 0;  ///< number of schedules run
  std::uint64_t failures = 0;
  std::uint64_t operations = 0;  ///< simulated operations
  double seconds = 0;            ///< time of one core
};

struct check_report {
  std::vector<check_row> rows;  ///< one per subject
  std::size_t variants = 0;     ///< variants compiled or loaded from the cache
  double compile_seconds = 0;   ///< wall time
  double run_seconds = 0;       ///< wall time
  /// One line about the first failure in the order of schedules, with the command that runs only this schedule.
  std::optional<std::string> failure = std::nullopt;
};

struct check_progress {
  bool compiling = false;  ///< `done` and `total` count variants instead of schedules
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

using check_observer = std::function<void(const check_progress&)>;

/// A registered check.
struct check_entry {
  std::string name;         ///< such as "small_queues"
  std::string description;  ///< one line for the user
  /// Returns the subjects, by the names that --only accepts. "heap" also selects "heap:lanes=8".
  std::vector<std::string> (*subjects)() = nullptr;
  std::vector<std::string> settings = {};  ///< names of options specific to this check
  /// Runs the schedules until one fails. Calls the observer periodically in the calling thread.
  check_report (*run)(const check_request& request, const check_observer& progress) = nullptr;

  static constexpr const char* duplicate = "two checks are named";
  [[nodiscard]] const std::string& key() const { return name; }
  [[nodiscard]] bool precedes(const check_entry& other) const { return name < other.name; }
};

/// Registers checks for its lifetime, like problem_registration.
using check_registration = registration<check_entry>;

/// Returns all checks, sorted by name.
[[nodiscard]] inline const std::vector<check_entry>& all_checks() { return check_registration::entries(); }

/// Returns the subjects that `name` selects: the subject itself, all that begin with "name:", or all if it is the name
/// of the check.
[[nodiscard]] std::vector<std::string> subjects_named(const check_entry& check, const std::string& name);

}  // namespace mlmq::problems
