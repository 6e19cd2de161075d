// SPDX-License-Identifier: Apache-2.0
// Side by side on the same graphs: what the selector chooses, the best configuration known, every competitor of this
// program, and other people's programs. docs/compare.md says how.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compare/peer.hpp"
#include "compare/table.hpp"
#include "db/store.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

struct comparison_options {
  std::string name = "compare";           ///< of the experiment in the database
  std::vector<std::string> devices;       ///< selectors
  std::vector<std::string> workloads;     ///< instead of those of `configurations`; see tuner::list_workloads
  tuner::experiment_file configurations;  ///< the short list of ours, workloads, queries, measurement
  tuner::experiment_file competitors;     ///< parameter sets of the other solvers
  std::vector<peer> peers;                ///< those that are here: located
  std::function<bool()> stop_requested;   ///< asked before every run
  std::function<void(const std::string&)> on_progress;  ///< a line for a person, after every run
};

struct comparison_result {
  std::vector<contestant_result> rows;  ///< of everything that is finished
  std::vector<std::string> notes;       ///< what was left out, and why
  bool interrupted = false;
};

/// Finds mistakes before anything is made for them: devices, graphs, configurations. @throws input_error
void check_comparison(const tuner::problem& of, const comparison_options& options);

/// Measures what is not yet in the database and reads the rest from it.
/// @throws input_error for graphs, configurations or devices that cannot be used; tuner::device_lost after what is known
/// has been recorded: a new process continues
[[nodiscard]] comparison_result run_comparison(const tuner::problem& of, db::store& store,
                                               const comparison_options& options);

}  // namespace mlmq::compare
