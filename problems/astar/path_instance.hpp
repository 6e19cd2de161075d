// SPDX-License-Identifier: Apache-2.0
// An instance of path finding, with access to its answers.
#pragma once

#include <span>
#include <vector>

#include "problems/astar/solver.hpp"
#include "tuner/problem.hpp"

namespace mlmq::astar {

class path_instance : public tuner::problem_instance {
 public:
  /// Uploads searches that are not a query, for run_uploaded(). Call it after prepare().
  /// @param pairs at least one
  /// @param with_paths whether paths are requested; a kernel also needs a configuration with paths
  /// @throws backends::out_of_device_memory
  virtual void upload_searches(std::vector<cell_pair> pairs, bool with_paths) = 0;
  /// Answers the uploaded searches like run() answers a query.
  [[nodiscard]] virtual tuner::run_report run_uploaded(double time_limit_ms) = 0;

  /// The searches of the last run, which must have succeeded.
  [[nodiscard]] virtual std::span<const cell_pair> searches() const = 0;
  /// The answers of the last run.
  [[nodiscard]] virtual search_answers answers() = 0;
};

}  // namespace mlmq::astar
