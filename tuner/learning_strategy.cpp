// SPDX-License-Identifier: Apache-2.0
#include "tuner/learning_strategy.hpp"

#include <algorithm>

namespace mlmq::tuner {
namespace {

/// Thrown if no new configuration is found.
struct nothing_new {};

}  // namespace

learning_strategy::learning_strategy(const strategy_settings& settings, const search_space& space,
                                     const strategy_guide& guide)
    : settings_(settings), space_(space), bits_(random_stream::from_state(settings.seed.value_or(1))) {
  if (!settings.warm_start) return;
  const neighbourhood near(space, step_size::any);
  for (const configuration& wished : guide.recommended) {
    if (auto start = near.nearest(wished)) recommended_.push_back(*std::move(start));
  }
}

std::optional<configuration> learning_strategy::next() {
  if (exhausted_ || progress() >= 1 || known_results_.size() == space_.count()) return std::nullopt;
  try {
    configuration chosen = choose();
    known_results_.emplace(chosen, known_result{});
    return chosen;
  } catch (const nothing_new&) {
    exhausted_ = true;
    return std::nullopt;
  }
}

void learning_strategy::report(const configuration& tried, const evaluation& result) {
  known_results_[tried] = {.reported = true, .cost = result.cost};
  seconds_ += result.seconds;
  learn(tried, result.cost);
}

std::optional<std::uint64_t> learning_strategy::total() const {
  if (settings_.seconds) return std::nullopt;
  return settings_.most_evaluations(space_);
}

const learning_strategy::known_result* learning_strategy::find(const configuration& c) const {
  const auto entry = known_results_.find(c);
  return entry == known_results_.end() ? nullptr : &entry->second;
}

configuration learning_strategy::fresh_start() {
  while (!recommended_.empty()) {
    configuration first = std::move(recommended_.front());
    recommended_.pop_front();
    if (find(first) == nullptr) return first;
  }
  return fresh_random();
}

configuration learning_strategy::fresh_random() {
  for (int attempt = 0; attempt < (space_.is_counted() ? 100 : 1000); ++attempt) {
    configuration drawn = space_.draw(bits_);
    if (find(drawn) == nullptr) return drawn;
  }
  // Almost everything is known, so the space is small. The indices of an uncounted space may still be too many to scan.
  if (!space_.is_counted()) throw nothing_new();
  std::uint64_t index = bits_.below_by_division(space_.count());
  for (;;) {
    configuration candidate = space_.at(index);
    if (find(candidate) == nullptr) return candidate;
    index = (index + 1) % space_.count();
  }
}

double learning_strategy::progress() const {
  double spent = 0;
  if (settings_.budget) spent = static_cast<double>(known_results_.size()) / static_cast<double>(*settings_.budget);
  if (settings_.seconds) spent = std::max(spent, seconds_ / *settings_.seconds);
  return std::min(spent, 1.0);
}

double learning_strategy::uniform() { return static_cast<double>(bits_.next() >> 11) * 0x1p-53; }

}  // namespace mlmq::tuner
