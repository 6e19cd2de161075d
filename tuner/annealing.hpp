// SPDX-License-Identifier: Apache-2.0
// Strategy `annealing`: a random walk that accepts worse configurations less and less often as the budget is spent.
#pragma once

#include <vector>

#include "tuner/learning_strategy.hpp"

namespace mlmq::tuner {

/// Metropolis' rule on the logarithm of the time: a configuration that takes r times as long is accepted with
/// probability r^(-1/T). T falls geometrically from 0.2 to 0.002 over the budget.
class annealing final : public learning_strategy {
 public:
  annealing(const strategy_settings& settings, const search_space& space, const strategy_guide& guide);

 private:
  [[nodiscard]] configuration choose() override;
  void learn(const configuration& tried, std::optional<double> cost) override;
  void consider(const configuration& candidate, std::optional<double> cost);

  neighbourhood near_;
  std::optional<double> current_cost_;
  std::vector<configuration> neighbours_;  // neighbours of the current configuration
};

}  // namespace mlmq::tuner
