// SPDX-License-Identifier: Apache-2.0
#include "tuner/annealing.hpp"

#include <cmath>

namespace mlmq::tuner {

annealing::annealing(const strategy_settings& settings, const search_space& space, const strategy_guide& guide)
    : learning_strategy(settings, space, guide), near_(space, settings.neighbours) {}

configuration annealing::choose() {
  if (!current_cost_) return fresh_start();
  // Steps between known configurations cost nothing. The limit ends a walk that finds only known ones.
  for (int steps = 0; steps < 200 && !neighbours_.empty(); ++steps) {
    configuration candidate = neighbours_[bits().below_by_division(neighbours_.size())];
    const known_result* result = find(candidate);
    if (result == nullptr) return candidate;
    if (result->reported) consider(candidate, result->cost);
  }
  return fresh_random();
}

void annealing::learn(const configuration& tried, std::optional<double> cost) { consider(tried, cost); }

void annealing::consider(const configuration& candidate, std::optional<double> cost) {
  if (!cost) return;
  const double temperature = 0.2 * std::pow(0.01, progress());
  const bool accepted = !current_cost_ || *cost <= *current_cost_ ||
                        uniform() < std::exp(-std::log(*cost / *current_cost_) / temperature);
  if (!accepted) return;
  current_cost_ = cost;
  neighbours_ = near_.neighbours_of(candidate);
}

}  // namespace mlmq::tuner
