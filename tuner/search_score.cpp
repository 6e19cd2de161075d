// SPDX-License-Identifier: Apache-2.0
#include "tuner/search_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/random.hpp"

namespace mlmq::tuner {
namespace {

constexpr int resamples = 400;
constexpr int points_in_time = 200;

/// Rounds halves to even, as Python does.
double round_half_to_even(double number) { return std::nearbyint(number); }

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace

random_baseline::random_baseline(const recorded_workload& recorded, score_range range, score_axis axis) : axis_(axis) {
  for (const auto& [c, result] : recorded.results) {
    if (result.cost) times_.push_back(*result.cost);
    mean_seconds_ += result.seconds / static_cast<double>(recorded.results.size());
  }
  std::ranges::sort(times_);
  if (times_.empty() || median_of_sorted(times_) <= times_.front()) {
    throw input_error(recorded.workload.name + " on " + recorded.device.name +
                      ": half of the configurations have the best time, so there is nothing to score");
  }
  first_ = evaluations_until(range.start);
  // The curves are compared before the number of evaluations in which random search reaches the end.
  last_ = std::max(first_, evaluations_until(range.end) - 1);
  if (axis == score_axis::evaluations) {
    for (std::uint64_t count = first_; count <= last_; ++count) points_.push_back(static_cast<double>(count));
    return;
  }
  const double begin = static_cast<double>(first_) * mean_seconds_;
  for (int i = 0; i < points_in_time; ++i) {
    points_.push_back(begin + (last_seconds() - begin) * i / (points_in_time - 1));
  }
}

std::uint64_t random_baseline::evaluations_until(double share) const {
  const double target = times_.front() + (median_of_sorted(times_) - times_.front()) * (1 - share);
  const auto faster = static_cast<double>(std::ranges::upper_bound(times_, target) - times_.begin());
  const auto count = static_cast<double>(times_.size());
  const double slower = count - faster;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(slower / (count + 1 - slower))));
}

double random_baseline::expected_time(std::uint64_t evaluations) const {
  const auto count = static_cast<double>(times_.size());
  const auto drawn = static_cast<double>(evaluations);
  const double place = std::min(count - 1, round_half_to_even(drawn * (count + 1) / (drawn + 1)));
  return times_[times_.size() - 1 - static_cast<std::size_t>(place)];
}

std::uint32_t random_baseline::rank_of(double relative) const {
  // The quotient of two times is not exact, but different times differ by more.
  const double time = relative == 0 ? std::numeric_limits<double>::infinity() : times_.front() / relative * (1 - 1e-12);
  const auto rank = std::ranges::lower_bound(times_, time) - times_.begin();
  return static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(rank, std::ssize(times_) - 1));
}

std::vector<std::uint32_t> random_baseline::ranks_of(const replayed_run& run) const {
  std::vector<std::uint32_t> ranks;
  double last_relative = -1;
  for (const double point : points_) {
    auto done = static_cast<std::size_t>(point);
    if (axis_ == score_axis::time) {
      const auto later = std::ranges::upper_bound(run.elapsed_s, point * (1 + 1e-9));
      done = static_cast<std::size_t>(later - run.elapsed_s.begin());
    }
    const double relative = done == 0 ? 0 : run.relative[std::min(done, run.relative.size()) - 1];
    ranks.push_back(relative == last_relative ? ranks.back() : rank_of(relative));
    last_relative = relative;
  }
  return ranks;
}

double random_baseline::score(std::span<const std::vector<std::uint32_t>> ranks) const {
  std::vector<std::uint32_t> sorted(ranks.size());
  double sum = 0;
  for (std::size_t point = 0; point < points_.size(); ++point) {
    for (std::size_t run = 0; run < ranks.size(); ++run) sorted[run] = ranks[run][point];
    const std::size_t middle = sorted.size() / 2;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(middle));
    double median = sorted[middle];
    if (sorted.size() % 2 == 0) {
      median = (median + *std::max_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
    }
    const double reached = times_[static_cast<std::size_t>(round_half_to_even(median))];
    const double evaluations = axis_ == score_axis::time ? points_[point] / mean_seconds_ : points_[point];
    const double random = expected_time(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(evaluations + 1e-9)));
    // Random search that is expected to have the best time leaves nothing to gain.
    sum += random == times_.front() ? (reached == random ? 1.0 : 0.0) : (reached - random) / (times_.front() - random);
  }
  return sum / static_cast<double>(points_.size());
}

score_interval mean_score(std::span<const scored_space> spaces) {
  score_interval result;
  for (const scored_space& space : spaces) result.score += space.baseline->score(space.ranks);
  result.score /= static_cast<double>(spaces.size());
  random_stream random{spaces.size(), spaces.front().ranks.size()};
  std::vector<double> means;
  for (int i = 0; i < resamples; ++i) {
    double sum = 0;
    for (const scored_space& space : spaces) {
      std::vector<std::vector<std::uint32_t>> drawn;
      for (std::size_t run = 0; run < space.ranks.size(); ++run) {
        drawn.push_back(space.ranks[random.below(space.ranks.size())]);
      }
      sum += space.baseline->score(drawn);
    }
    means.push_back(sum / static_cast<double>(spaces.size()));
  }
  std::ranges::sort(means);
  result.lower = means[static_cast<std::size_t>(0.025 * resamples)];
  result.upper = means[static_cast<std::size_t>(0.975 * resamples)];
  return result;
}

}  // namespace mlmq::tuner
