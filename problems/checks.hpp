// SPDX-License-Identifier: Apache-2.0
// What `mlmq check` runs: checks under many schedules of the simulator. A folder registers its own; nothing else names
// them.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlmq::problems {

/// What a person asks of a check.
struct check_request {
  std::vector<std::string> subjects;  ///< some of check_entry::subjects(); empty: all
  std::uint64_t schedules = 224;      ///< of each subject; the i-th has the seed `seed` + i
  std::uint64_t seed = 1;
  unsigned jobs = 0;  ///< threads, each with simulators of its own; 0: one for each core
  /// By the names of check_entry::settings; what is absent is the check's choice.
  std::map<std::string, std::vector<std::string>> settings = {};
  std::string kernels = {};  ///< folder of the kernel sources; empty: backends::kernel_folder()
};

/// The schedules of one subject.
struct check_row {
  std::string subject;
  std::uint64_t schedules = 0;  ///< that were run
  std::uint64_t failures = 0;
  std::uint64_t operations = 0;  ///< simulated
  double seconds = 0;            ///< of one core
};

struct check_report {
  std::vector<check_row> rows;  ///< one for each subject
  std::size_t variants = 0;     ///< compiled, or loaded from the cache
  double compile_seconds = 0;   ///< wall time
  double run_seconds = 0;       ///< wall time
  /// One line: what failed first, in the order of the schedules, and the command that runs this schedule alone.
  std::optional<std::string> failure = std::nullopt;
};

struct check_progress {
  bool compiling = false;  ///< variants are counted, else schedules
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

using check_observer = std::function<void(const check_progress&)>;

/// A check as its folder registers it.
struct check_entry {
  std::string name;         ///< "small_queues"
  std::string description;  ///< one line for a person
  /// What is checked, by the names that --only takes. "heap:lanes=8" is also meant by "heap".
  std::vector<std::string> (*subjects)() = nullptr;
  std::vector<std::string> settings = {};  ///< names of options that only this check has
  /// Runs the schedules until one fails. Calls the observer now and then, in the calling thread.
  check_report (*run)(const check_request& asked, const check_observer& progress) = nullptr;
};

/// Registers checks for its lifetime, like problem_registration.
class check_registration {
 public:
  check_registration(std::initializer_list<check_entry> entries);
  check_registration(const check_registration&) = delete;
  check_registration& operator=(const check_registration&) = delete;
  ~check_registration();

 private:
  std::vector<std::string> added_;
};

/// By name.
[[nodiscard]] const std::vector<check_entry>& all_checks();

/// The subjects of a check that `name` means: itself, all that begin with "name:", or all where it is the check's name.
[[nodiscard]] std::vector<std::string> subjects_named(const check_entry& check, const std::string& name);

}  // namespace mlmq::problems
