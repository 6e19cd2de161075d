// SPDX-License-Identifier: Apache-2.0
// What is to be compared, and how.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/peer.hpp"
#include "problems/registry.hpp"
#include "tuner/comparison_rules.hpp"
#include "tuner/experiment_file.hpp"

namespace mlmq::compare {

/// In a file of configurations or competitors.
inline constexpr std::uint64_t most_contestants = 10'000;

struct comparison_options {
  std::string name = "compare";        ///< of the experiment in the database
  std::vector<std::string> devices;    ///< selectors
  std::vector<std::string> workloads;  ///< instead of those of `configurations`; see tuner::list_workloads
  /// Options of the kind of workload for files whose entries do not have them; see tuner::list_workloads.
  std::map<std::string, std::string> file_options;
  tuner::experiment_file configurations;              ///< the short list of ours, workloads, queries, measurement
  std::optional<tuner::experiment_file> competitors;  ///< parameter sets of the competitors, if there are any
  tuner::comparison_rules rules;                      ///< of the problem
  /// The problem whose recommended configuration, the one that `solve` takes, has a row; null: there is no such row.
  const problems::problem_entry* recommended_for = nullptr;
  const peer_list* peers = nullptr;                   ///< null: none
  std::function<bool()> stop_requested;               ///< asked before every run, and by a thread during runs
  bool full_configurations = false;                   ///< in the rows, not only what differs from the defaults
  double grace_s = 10;  ///< a run may go on for so long after a stop was asked for, where a device can end it (simt)
  /// Called after every run with the finished share of the comparison, 0 to 1, and a line of text.
  std::function<void(double, const std::string&)> on_progress;

  /// The experiment files that there are: ours, then that of the competitors.
  [[nodiscard]] std::vector<const tuner::experiment_file*> files() const {
    std::vector<const tuner::experiment_file*> all = {&configurations};
    if (competitors) all.push_back(&*competitors);
    return all;
  }
  [[nodiscard]] std::string competitors_text() const { return competitors ? competitors->text : ""; }
};

}  // namespace mlmq::compare
