// SPDX-License-Identifier: Apache-2.0
// What is behind mlmq::path_answers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "library/impl.hpp"
#include "mlmq/path_finder.hpp"
#include "problems/astar/pairs.hpp"
#include "problems/astar/solver.hpp"

namespace mlmq::detail {

struct path_answers_data {
  path_answers_data(mlmq::grid searched, std::vector<astar::cell_pair> pairs)
      : map(std::move(searched)), asked{.pairs = std::move(pairs), .printed = {}} {}

  mlmq::grid map;
  astar::search_set asked;
  astar::search_answers found;
  mlmq::choice chosen;
  solve_times times;
  std::vector<std::pair<std::string, double>> counters;
};

}  // namespace mlmq::detail
