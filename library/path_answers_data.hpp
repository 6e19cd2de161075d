// SPDX-License-Identifier: Apache-2.0
// Implementation of the handle mlmq::path_answers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mlmq/grid.hpp"
#include "mlmq/path_finder.hpp"
#include "problems/astar/pairs.hpp"
#include "problems/astar/solver.hpp"

namespace mlmq::detail {

struct path_answers_data {
  path_answers_data(mlmq::grid grid, std::vector<astar::cell_pair> pairs)
      : map(std::move(grid)), queries{.pairs = std::move(pairs), .printed = {}} {}

  mlmq::grid map;
  astar::search_set queries;
  astar::search_answers answers;
  mlmq::choice chosen;
  solve_times times;
  std::vector<std::pair<std::string, double>> counters;
};

}  // namespace mlmq::detail
