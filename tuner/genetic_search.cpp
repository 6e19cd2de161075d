// SPDX-License-Identifier: Apache-2.0
#include "tuner/genetic_search.hpp"

#include <algorithm>

namespace mlmq::tuner {

genetic_search::genetic_search(const strategy_settings& settings, const search_space& space,
                               const strategy_guide& guide)
    : learning_strategy(settings, space, guide),
      near_(space, step_size::any),
      // Evaluations are expensive, and a small population converges quickly.
      size_(static_cast<std::size_t>(std::clamp<std::uint64_t>(settings.budget.value_or(100) / 8, 4, 10))) {}

const genetic_search::member& genetic_search::parent() {
  return members_[std::min(bits().below_by_division(members_.size()), bits().below_by_division(members_.size()))];
}

configuration genetic_search::cross(const configuration& a, const configuration& b) {
  configuration wished = a;
  for (const auto& [name, of_b] : b.values()) {
    if (a.find(name) == nullptr || bits().below_by_division(2) == 1) wished.set(name, of_b);
  }
  return near_.nearest(wished).value_or(a);
}

configuration genetic_search::choose() {
  if (founders_ < size_ || members_.size() < 2) {
    ++founders_;
    return fresh_start();
  }
  const member& first = parent();
  const member& second = parent();
  configuration child = cross(first.candidate, second.candidate);
  for (int changes = 0; changes < 20; ++changes) {
    const bool is_new = find(child) == nullptr;
    if (is_new && (changes > 0 || bits().below_by_division(2) == 0)) return child;
    const std::vector<configuration> others = near_.neighbours_of(child);
    if (others.empty()) break;
    child = others[bits().below_by_division(others.size())];
  }
  return find(child) == nullptr ? child : fresh_random();
}

void genetic_search::learn(const configuration& tried, std::optional<double> cost) {
  if (!cost) return;
  const auto place = std::ranges::upper_bound(members_, *cost, {}, &member::cost);
  members_.insert(place, {tried, *cost});
  if (members_.size() > size_) members_.pop_back();
}

}  // namespace mlmq::tuner
