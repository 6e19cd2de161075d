// SPDX-License-Identifier: Apache-2.0
// The score P of the methodology of Willemsen et al. (Future Generation Computer Systems 159, 2024) for search
// strategies, over the number of evaluations, as autotuning_methodology 1.1 computes it.
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

/// What random search without replacement reaches on one space, calculated from all its times. Configurations that
/// failed have no part in it.
class random_baseline {
 public:
  /// @throws input_error if fewer than two different times are recorded
  random_baseline(const recorded_workload& recorded, score_range range);

  /// Number of evaluations from which on curves are compared.
  [[nodiscard]] std::uint64_t first() const { return first_; }
  /// Number of evaluations a run needs: those in which random search is expected to reach the end of the range.
  [[nodiscard]] std::uint64_t last() const { return last_; }

  /// Returns the score of a strategy: the share of the way from the baseline's time to the best time that its median
  /// run has gone, averaged over first() … last() evaluations. 0: like random search, 1: the best time at once.
  /// @param ranks  for each run, the rank of its best time (rank_of()) after 1, 2, … last() evaluations
  [[nodiscard]] double score(std::span<const std::vector<std::uint32_t>> ranks) const;

  /// Returns for each of 1, 2, … last() evaluations of a run the number of recorded times that are shorter than its
  /// best so far; the largest rank while it has none.
  [[nodiscard]] std::vector<std::uint32_t> ranks_of(const replayed_run& run) const;

 private:
  [[nodiscard]] std::uint64_t evaluations_until(double share) const;
  [[nodiscard]] double expected_time(std::uint64_t evaluations) const;

  std::vector<double> times_;  // ascending
  std::uint64_t first_ = 1;
  std::uint64_t last_ = 1;
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
