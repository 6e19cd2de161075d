// SPDX-License-Identifier: Apache-2.0
// An instance of path finding, with what it has answered.
#pragma once

#include <span>

#include "problems/astar/solver.hpp"
#include "tuner/problem.hpp"

namespace mlmq::astar {

class path_instance : public tuner::problem_instance {
 public:
  /// The searches of the last run, which was ok.
  [[nodiscard]] virtual std::span<const cell_pair> asked() const = 0;
  /// Their answers.
  [[nodiscard]] virtual search_answers answers() = 0;
};

}  // namespace mlmq::astar
