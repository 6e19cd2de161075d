// SPDX-License-Identifier: Apache-2.0
// The score P of the methodology of Willemsen et al. (Future Generation Computer Systems 159, 2024) for search
// strategies: over the number of evaluations as autotuning_methodology 1.1 computes it, and over time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/replay.hpp"

namespace mlmq::tuner {

/// Shares of the way from the median to the best time of a space at which scoring begins and ends.
struct score_range {
  double start = 0.01;
  double end = 0.96;
};

/// What curves of strategies are compared over. A time is that of compilation, runs and checks on record.
enum class score_axis { evaluations, time };

/// What random search without replacement reaches on one space, calculated from all its times. Configurations that
/// failed have no part in it, but take time.
class random_baseline {
 public:
  /// @throws input_error if fewer than two different times are recorded
  random_baseline(const recorded_workload& recorded, score_range range, score_axis axis = score_axis::evaluations);

  /// Number of evaluations from which on curves are compared.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  /// Number of evaluations a run needs: those in which random search is expected to reach the end of the range.
  [[nodiscard]] std::uint64_t last() const { return last_; }
  /// Seconds that last() evaluations take on the average; 0 if durations are not on record.
  [[nodiscard]] double last_seconds() const { return static_cast<double>(last_) * mean_seconds_; }

  /// Returns the score of a strategy: the share of the way from the baseline's time to the best time that its median
  /// run has gone, averaged over first() … last() evaluations, or over the time that random search needs for them.
  /// 0: like random search, 1: the best time at once.
  /// @param ranks  ranks_of() each run
  [[nodiscard]] double score(std::span<const std::vector<std::uint32_t>> ranks) const;

  /// Returns for each point of the axis the number of recorded times that are shorter than a run's best so far; the
  /// largest rank while it has none.
  [[nodiscard]] std::vector<std::uint32_t> ranks_of(const replayed_run& run) const;

 private:
  [[nodiscard]] std::uint64_t evaluations_until(double share) const;
  [[nodiscard]] double expected_time(std::uint64_t evaluations) const;
  [[nodiscard]] std::uint32_t rank_of(double relative) const;

  score_axis axis_;
  std::vector<double> times_;  // ascending
  std::uint64_t first_ = 1;
  std::uint64_t last_ = 1;
  double mean_seconds_ = 0;     // per evaluation
  std::vector<double> points_;  // numbers of evaluations, or seconds
};

/// Ranks of the runs of one strategy on one space.
struct scored_space {
  const random_baseline* baseline = nullptr;
  std::vector<std::vector<std::uint32_t>> ranks;
};

struct score_interval {
  double score = 0;  ///< mean over the spaces
  double lower = 0;  ///< 95 % interval of the mean for other seeds on the same spaces, by a bootstrap over the runs
  double upper = 0;
};

/// @param spaces must not be empty
[[nodiscard]] score_interval mean_score(std::span<const scored_space> spaces);

}  // namespace mlmq::tuner
