// SPDX-License-Identifier: Apache-2.0
#include "library/preparation_adoption.hpp"

#include <algorithm>

namespace mlmq::detail {
namespace {

/// Number of searches on a preparation to time before deciding whether to keep it.
constexpr double trials = 5;

}  // namespace

preparation_adoption::preparation_adoption(std::vector<preparation> preparations) {
  for (preparation& next : preparations) entries_.push_back({.means = std::move(next)});
}

double preparation_adoption::fastest_without(std::optional<std::size_t> index) const {
  double fastest = unprepared_.mean();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].is_due && i != index) fastest = std::min(fastest, entries_[i].times.mean());
  }
  return fastest;
}

void preparation_adoption::note(std::optional<std::size_t> used, double ms) {
  series& times = used ? entries_[*used].times : unprepared_;
  times.total_ms += ms;
  ++times.searches;
  // The caller who requested a preparation has paid for it; its searches say nothing about others.
  if (used && !entries_[*used].is_due) return;
  searched_ms_ += ms;
  if (is_on_trial_) {
    entry& tried = entries_[next_];
    if (used != next_ || tried.times.searches < trials) return;
    tried.is_due = tried.times.mean() < fastest_without(next_);
    is_on_trial_ = false;
    ++next_;
  }
  consider_next();
}

void preparation_adoption::keep(std::size_t index) {
  entries_[index].is_due = true;
  next_ = index + 1;
}

void preparation_adoption::give_up(std::size_t index) {
  entries_[index].is_due = false;
  if (!is_on_trial_ || index != next_) return;
  is_on_trial_ = false;
  ++next_;
}

void preparation_adoption::consider_next() {
  for (; next_ < entries_.size(); ++next_) {
    entry& candidate = entries_[next_];
    if (!candidate.cost_ms) {
      if (searched_ms_ < prepared_ms_ + candidate.means.least_ms) return;
      candidate.cost_ms = candidate.means.expected_ms(fastest_without(std::nullopt));
      if (!candidate.cost_ms) continue;
    }
    if (searched_ms_ < prepared_ms_ + *candidate.cost_ms) return;
    prepared_ms_ += *candidate.cost_ms;
    candidate.is_due = is_on_trial_ = true;
    return;
  }
}

}  // namespace mlmq::detail
