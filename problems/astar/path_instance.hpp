// SPDX-License-Identifier: Apache-2.0
// An instance of path finding, with what it has answered.
#pragma once

#include <span>
#include <vector>

#include "problems/astar/solver.hpp"
#include "tuner/problem.hpp"

namespace mlmq::astar {

class path_instance : public tuner::problem_instance {
 public:
  /// Brings searches to the device that no query names, for run_asked(). After prepare(). @param asked at least one
  /// @param with_paths whether paths are wanted: of a kernel, its configuration has to say so too
  /// @throws backends::out_of_device_memory
  virtual void ask(std::vector<cell_pair> asked, bool with_paths) = 0;
  /// Answers them as run() answers a query.
  [[nodiscard]] virtual tuner::run_report run_asked(double time_limit_ms) = 0;

  /// The searches of the last run, which was ok.
  [[nodiscard]] virtual std::span<const cell_pair> asked() const = 0;
  /// Their answers.
  [[nodiscard]] virtual search_answers answers() = 0;
};

}  // namespace mlmq::astar
