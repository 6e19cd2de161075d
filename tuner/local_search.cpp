// SPDX-License-Identifier: Apache-2.0
#include "tuner/local_search.hpp"

#include <utility>

namespace mlmq::tuner {

local_search::local_search(const strategy_settings& settings, const search_space& space, const strategy_guide& guide)
    : learning_strategy(settings, space, guide), near_(space, settings.neighbours) {}

configuration local_search::choose() {
  while (!neighbours_.empty()) {
    const configuration candidate = std::move(neighbours_.back());
    neighbours_.pop_back();
    const known_result* result = find(candidate);
    if (result == nullptr) return candidate;
    // Already measured from another configuration: using the result again is free.
    if (result->cost && *result->cost < *current_cost_) move_to(candidate, *result->cost);
  }
  current_cost_.reset();
  return fresh_start();
}

void local_search::learn(const configuration& tried, std::optional<double> cost) {
  if (cost && (!current_cost_ || *cost < *current_cost_)) move_to(tried, *cost);
}

void local_search::move_to(const configuration& c, double cost) {
  current_cost_ = cost;
  neighbours_ = near_.neighbours_of(c);
  for (std::size_t i = neighbours_.size(); i > 1; --i) {
    std::swap(neighbours_[i - 1], neighbours_[bits().below_by_division(i)]);
  }
}

}  // namespace mlmq::tuner
