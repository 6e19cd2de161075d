// SPDX-License-Identifier: Apache-2.0
// Strategy `genetic`: recombines and mutates the best known configurations.
#pragma once

#include <vector>

#include "tuner/learning_strategy.hpp"

namespace mlmq::tuner {

/// Steady state: a child replaces the worst member if it is better. Each parameter of a child comes from one of two
/// parents, each the better of two random members; every other child is then mutated in one parameter.
class genetic_search final : public learning_strategy {
 public:
  genetic_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide);

 private:
  struct member {
    configuration candidate;
    double cost = 0;
  };
  [[nodiscard]] configuration choose() override;
  void learn(const configuration& tried, std::optional<double> cost) override;
  [[nodiscard]] const member& parent();
  [[nodiscard]] configuration cross(const configuration& a, const configuration& b);

  neighbourhood near_;
  std::size_t size_;             // size of the population
  std::size_t founders_ = 0;     // number of founders proposed so far
  std::vector<member> members_;  // population, best first
};

}  // namespace mlmq::tuner
