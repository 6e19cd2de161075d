// SPDX-License-Identifier: Apache-2.0
#include "library/preparation_adoption.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace mlmq::detail {
namespace {

/// Number of searches on a preparation to time before deciding whether to keep it, if the difference is clear.
constexpr std::size_t few_trials = 5;
/// The number before deciding in any case: times differ among sources.
constexpr std::size_t most_trials = 15;
/// Ratio of typical times from which on a difference is clear.
constexpr double clear_ratio = 1.3;
constexpr std::size_t kept_times = 64;

}  // namespace

void preparation_adoption::series::add(double ms) {
  times_ms.push_back(ms);
  if (times_ms.size() > kept_times) times_ms.pop_front();
}

double preparation_adoption::series::median() const {
  if (times_ms.empty()) return std::numeric_limits<double>::infinity();
  std::vector<double> sorted(times_ms.begin(), times_ms.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

preparation_adoption::preparation_adoption(std::vector<preparation> preparations) {
  for (preparation& next : preparations) entries_.push_back({.means = std::move(next)});
}

double preparation_adoption::fastest_without(std::optional<std::size_t> index) const {
  double fastest = unprepared_.median();
  for (const std::size_t other : adopted_) {
    if (other != index) fastest = std::min(fastest, entries_[other].times.median());
  }
  return fastest;
}

std::optional<std::size_t> preparation_adoption::decisive_of(std::span<const std::size_t> used) const {
  const auto uses = [&](std::size_t index) { return std::ranges::find(used, index) != used.end(); };
  if (on_trial_ && uses(*on_trial_)) return on_trial_;
  const auto last = std::find_if(adopted_.rbegin(), adopted_.rend(), uses);
  if (last != adopted_.rend()) return *last;
  return used.empty() ? std::nullopt : std::optional(used.back());
}

void preparation_adoption::postpone(std::size_t index) {
  if (on_trial_ != index) return;
  entries_[index].is_waiting = true;
  on_trial_.reset();
}

void preparation_adoption::note(std::span<const std::size_t> used, double ms) {
  for (const std::size_t index : used) {
    if (on_trial_ || !entries_[index].is_waiting) continue;
    entries_[index].is_waiting = false;
    on_trial_ = index;
  }
  const std::optional<std::size_t> decisive = decisive_of(used);
  (decisive ? entries_[*decisive].times : unprepared_).add(ms);
  // The caller who requested a preparation has paid for it; its searches say nothing about others.
  if (decisive && !entries_[*decisive].is_due) return;
  searched_ms_ += ms;
  if (on_trial_) {
    if (decisive == on_trial_) decide_trial();
    if (on_trial_) return;
  }
  consider_next();
}

void preparation_adoption::decide_trial() {
  entry& tried = entries_[*on_trial_];
  const std::size_t trials = tried.times.times_ms.size();
  if (trials < few_trials) return;
  const double with = tried.times.median();
  const double without = fastest_without(on_trial_);
  const bool is_clear = with * clear_ratio < without || without * clear_ratio < with;
  if (!is_clear && trials < most_trials) return;
  tried.is_due = with < without;
  tried.is_decided = true;
  if (tried.is_due) adopted_.push_back(*on_trial_);
  on_trial_.reset();
}

void preparation_adoption::keep(std::size_t index) {
  for (std::size_t i = 0; i <= index; ++i) entries_[i].is_decided = true;
  entries_[index].is_due = true;
  adopted_.push_back(index);
}

void preparation_adoption::give_up(std::size_t index) {
  entries_[index].is_due = entries_[index].is_waiting = false;
  entries_[index].is_decided = true;
  std::erase(adopted_, index);
  if (on_trial_ == index) on_trial_.reset();
}

void preparation_adoption::consider_next() {
  std::optional<std::size_t> cheapest;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entry& candidate = entries_[i];
    if (candidate.is_decided || candidate.is_waiting ||
        (candidate.means.after && !entries_[*candidate.means.after].is_decided))
      continue;
    if (!candidate.cost_ms) {
      if (searched_ms_ < prepared_ms_ + candidate.means.least_ms) continue;
      candidate.cost_ms = candidate.means.expected_ms(fastest_without(std::nullopt));
      if (!candidate.cost_ms) {
        candidate.is_decided = true;
        continue;
      }
    }
    if (!cheapest || *candidate.cost_ms < *entries_[*cheapest].cost_ms) cheapest = i;
  }
  if (!cheapest || searched_ms_ < prepared_ms_ + *entries_[*cheapest].cost_ms) return;
  entry& next = entries_[*cheapest];
  // Searches may have become faster since its cost was asked.
  if (!next.means.expected_ms(fastest_without(std::nullopt))) {
    next.is_decided = true;
    return consider_next();
  }
  prepared_ms_ += *next.cost_ms;
  next.is_due = true;
  on_trial_ = cheapest;
}

}  // namespace mlmq::detail
