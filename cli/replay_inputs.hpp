// SPDX-License-Identifier: Apache-2.0
// The recorded results that `mlmq replay` searches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/problem.hpp"
#include "tuner/replay.hpp"

namespace mlmq::cli {

/// Files that `mlmq replay` reads.
struct replay_files {
  std::vector<std::string> names = {"results.sqlite"};  ///< databases, Kernel Tuner caches and T4 results
  std::string t1;                                       ///< T1 input with the space of the files that are not databases
  std::string experiment;                               ///< experiment of databases that have several
};

/// One workload on one device, and the space to search.
struct replay_input {
  tuner::recorded_workload recorded;
  tuner::replayed_space space;
  std::shared_ptr<const tuner::problem> problem;  ///< null for results of another auto-tuner
};

/// @throws input_error naming the file
[[nodiscard]] std::vector<replay_input> read_replay_inputs(const replay_files& files);

}  // namespace mlmq::cli
