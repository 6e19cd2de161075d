// SPDX-License-Identifier: Apache-2.0
// Benchmarks the selector's choice, the best known configuration, every competitor and external programs on the same
// workloads; see docs/guide/compare.md.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/store.hpp"
#include "problems/compare/peer.hpp"
#include "problems/compare/table.hpp"
#include "problems/registry.hpp"
#include "tuner/comparison_rules.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

/// Maximum number of configurations in a file of configurations or competitors.
inline constexpr std::uint64_t most_contestants = 10'000;

struct comparison_options {
  std::string name = "compare";        ///< name of the experiment in the database
  std::vector<std::string> devices;    ///< device selectors
  std::vector<std::string> workloads;  ///< replace the workloads of `configurations`; see tuner::list_workloads
  /// Options of the workload kind, for files whose entries do not set them; see tuner::list_workloads.
  std::map<std::string, std::string> file_options;
  tuner::experiment_file configurations;  ///< our short list, the workloads, queries and measurement settings
  std::optional<tuner::experiment_file> competitors;  ///< parameter sets of the competitors, if any
  tuner::comparison_rules rules;                      ///< rules of the problem
  /// The problem whose recommended configuration, the one that `solve` uses, gets a row; null: no such row.
  const problems::problem_entry* recommended_for = nullptr;
  const peer_list* peers = nullptr;      ///< null: no peers
  std::function<bool()> stop_requested;  ///< called before every run, and by a thread during runs
  /// Whether rows show complete configurations instead of only the values that differ from the defaults.
  bool full_configurations = false;
  /// Seconds that a run may continue after a stop request, on devices that can be interrupted (simt).
  double grace_s = 10;
  /// Called after every run with the finished share of the comparison, 0 to 1, and a line of text.
  std::function<void(double, const std::string&)> on_progress;

  /// Returns the experiment files: ours, then the competitors', if any.
  [[nodiscard]] std::vector<const tuner::experiment_file*> files() const {
    std::vector<const tuner::experiment_file*> result = {&configurations};
    if (competitors) result.push_back(&*competitors);
    return result;
  }
  [[nodiscard]] std::string competitors_text() const { return competitors ? competitors->text : ""; }
};

struct comparison_result {
  std::vector<contestant_result> rows;  ///< of everything that is finished
  std::vector<std::string> notes;       ///< what was left out, and why
  bool interrupted = false;
  std::exception_ptr failure;  ///< error that ended the comparison early; null: none
};

/// Checks devices, workloads and configurations before anything is created. @throws input_error
void check_comparison(const tuner::problem& problem, const comparison_options& options);

/// Measures what is not yet in the database and reads the rest from it. All workloads are loaded before the first is
/// measured; those that cannot be loaded are left out with a note. An error while measuring is
/// comparison_result::failure.
///
/// @throws input_error  for configurations or devices that cannot be used, or if no workload can be loaded
/// @throws tuner::device_lost  after everything known was recorded: a new process continues
[[nodiscard]] comparison_result run_comparison(const tuner::problem& problem, db::store& store,
                                               const comparison_options& options);

}  // namespace mlmq::compare
