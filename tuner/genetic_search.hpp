// SPDX-License-Identifier: Apache-2.0
// Strategy `genetic`: crosses and changes the best configurations known.
#pragma once

#include <vector>

#include "tuner/learning_strategy.hpp"

namespace mlmq::tuner {

/// Steady state: each child takes the place of the worst member when it is better. A child has each parameter from one
/// of two parents, each the better of two members drawn, and is then changed in one parameter every other time.
class genetic_search final : public learning_strategy {
 public:
  genetic_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide);

 private:
  struct member {
    configuration is;
    double milliseconds = 0;
  };
  [[nodiscard]] configuration choose() override;
  void learn(const configuration& tried, std::optional<double> milliseconds) override;
  [[nodiscard]] const member& parent();
  [[nodiscard]] configuration cross(const configuration& a, const configuration& b);

  neighbourhood near_;
  std::size_t size_;             // of the population
  std::size_t founders_ = 0;     // proposed so far
  std::vector<member> members_;  // best first
};

}  // namespace mlmq::tuner
