// SPDX-License-Identifier: Apache-2.0
// Strategy `local`: steps to the first better neighbour, starting again where there is none.
#pragma once

#include <vector>

#include "tuner/learning_strategy.hpp"

namespace mlmq::tuner {

/// Neighbours differ in one parameter, in random order. A local optimum is left for a random configuration.
class local_search final : public learning_strategy {
 public:
  local_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide);

 private:
  [[nodiscard]] configuration choose() override;
  void learn(const configuration& tried, std::optional<double> milliseconds) override;
  void move_to(const configuration& c, double milliseconds);

  neighbourhood near_;
  std::optional<double> current_ms_;       // nothing while there is no place to search around
  std::vector<configuration> neighbours_;  // of it, not yet looked at
};

}  // namespace mlmq::tuner
