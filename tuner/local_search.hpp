// SPDX-License-Identifier: Apache-2.0
// Strategy `local`: moves to the first better neighbour and restarts at local optima.
#pragma once

#include <vector>

#include "tuner/learning_strategy.hpp"

namespace mlmq::tuner {

/// Visits neighbours, which differ in one parameter, in random order. Restarts from a random configuration at a local
/// optimum.
class local_search final : public learning_strategy {
 public:
  local_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide);

 private:
  [[nodiscard]] configuration choose() override;
  void learn(const configuration& tried, std::optional<double> cost) override;
  void move_to(const configuration& c, double cost);

  neighbourhood near_;
  std::optional<double> current_cost_;     // nothing before the first success
  std::vector<configuration> neighbours_;  // unvisited neighbours of the current configuration
};

}  // namespace mlmq::tuner
