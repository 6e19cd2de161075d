// SPDX-License-Identifier: Apache-2.0
// Times of further queries of a workload, simulated from the variation between its recorded queries.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "selector/random.hpp"

namespace mlmq::selector {

/// Draws from the standard normal distribution.
[[nodiscard]] double normal(portable_random& random);

/// The logarithm of a time is the sum of the candidate's mean, an effect of the query that all candidates share, and a
/// remainder of query and candidate. Both vary as much as on record; the remainder contains the noise of the runs.
class simulated_queries {
 public:
  /// @param queries number of recorded queries, at least 2
  /// @param candidates number of candidates
  /// @param time returns the recorded time of a query and a candidate; infinite for a failure
  simulated_queries(std::size_t queries, std::size_t candidates,
                    const std::function<double(std::size_t query, std::size_t candidate)>& time);

  struct race_result {
    std::size_t winner = 0;
    std::size_t runs = 0;
  };
  /// Lets some candidates answer at most `count` further queries together, no query twice, in a race.
  /// @param tried candidates, at least one
  /// @param predicted relative performance of each
  [[nodiscard]] race_result race_of(std::span<const std::size_t> tried, std::span<const double> predicted,
                                    std::size_t count, portable_random& random) const;

 private:
  std::vector<double> mean_log_;  // by candidate; infinite after a failure
  double query_deviation_ = 0;
  double remainder_deviation_ = 0;
};

}  // namespace mlmq::selector
