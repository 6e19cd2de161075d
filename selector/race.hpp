// SPDX-License-Identifier: Apache-2.0
// Compares configurations by the times of queries that they answer in turn, each query by one of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace mlmq::selector {

/// A race among configurations with predicted relative performances. Times of different queries are compared, so a few
/// runs prove little; the predictions serve as a prior. The logarithm of an entrant's mean time is normally distributed
/// around the predicted one, all entrants share an unknown factor, and single times scatter around the mean. The next
/// run goes to the leader, or to the entrant that is most likely to be faster: whichever has fewer runs. The race ends
/// after a number of runs, or after half of them if no other entrant is likely to be faster.
class race {
 public:
  /// Entrants per configuration that the caller wants to try. Not all of them run.
  static constexpr std::size_t entrants_per_try = 2;

  /// @param predicted relative performance of each entrant, best first; NaN: unknown. At least one entrant
  /// @param most_runs runs of all entrants together, at least 1
  race(std::span<const double> predicted, std::size_t most_runs) : most_runs_(most_runs) {
    double best = 0;
    for (const double performance : predicted) {
      const double expected = std::isnan(performance) ? unknown_performance : performance;
      entrants_.push_back({.prior = -std::log(std::max(expected, least_performance))});
      best = std::max(best, expected);
    }
    const double deviation = sure_deviation + deviation_growth * std::max(1 - best, 0.0);
    prior_variance_ = deviation * deviation;
  }

  /// Returns the entrant that runs next. The race must not be decided.
  [[nodiscard]] std::size_t next() const {
    const standing now = standings();
    return entrants_[now.challenger].runs < entrants_[now.leader].runs ? now.challenger : now.leader;
  }

  /// Records the time of a run; infinite for a failure, with which an entrant leaves.
  void note(std::size_t entrant, double milliseconds) {
    participant& runner = entrants_[entrant];
    ++runs_;
    if (!std::isfinite(milliseconds)) {
      runner.is_out = true;
      return;
    }
    const double logarithm = std::log(std::max(milliseconds, 1e-9));
    ++runner.runs;
    // Welford's algorithm.
    const double difference = logarithm - runner.mean;
    runner.mean += difference / static_cast<double>(runner.runs);
    runner.squares += difference * (logarithm - runner.mean);
  }

  [[nodiscard]] bool decided() const {
    const standing now = standings();
    return now.challenger == now.leader || runs_ >= most_runs_ || (2 * runs_ >= most_runs_ && now.lead > sure);
  }

  /// Returns the entrant with the smallest expected time.
  [[nodiscard]] std::size_t leader() const { return standings().leader; }

  /// Returns the number of runs of all entrants.
  [[nodiscard]] std::size_t runs() const { return runs_; }
  /// Returns the number of entrants that ran.
  [[nodiscard]] std::size_t started() const {
    return static_cast<std::size_t>(std::count_if(entrants_.begin(), entrants_.end(), [](const participant& runner) {
      return runner.runs > 0 || runner.is_out;
    }));
  }

 private:
  struct participant {
    double prior = 0;  ///< expected logarithm of the time, up to the common factor
    std::size_t runs = 0;
    double mean = 0;     ///< of the logarithms
    double squares = 0;  ///< sum of their squared deviations
    bool is_out = false;
  };

  struct standing {
    std::size_t leader = 0;
    std::size_t challenger = 0;  ///< most likely to be faster than the leader; the leader if it is alone
    double lead = std::numeric_limits<double>::infinity();  ///< standard errors between the two
  };

  // From choices for held-out graphs of the shipped record (docs/notebook/selector.md). The prior deviation is that of
  // the logarithm of a time from its prediction. It is larger if the best prediction is low.
  static constexpr double sure_deviation = 0.07;
  static constexpr double deviation_growth = 0.6;
  /// Deviation of the logarithm of a time between queries, before enough runs show it: it counts as this many runs.
  static constexpr double query_deviation = 0.1;
  static constexpr double query_deviation_weight = 6;
  static constexpr double unknown_performance = 0.9;
  static constexpr double least_performance = 0.05;
  static constexpr double sure = 2;

  /// Returns the variance of the logarithm of a time between queries.
  [[nodiscard]] double run_variance() const {
    double squares = query_deviation_weight * query_deviation * query_deviation;
    double freedom = query_deviation_weight;
    for (const participant& runner : entrants_) {
      squares += runner.squares;
      if (runner.runs > 0) freedom += static_cast<double>(runner.runs - 1);
    }
    return squares / freedom;
  }

  [[nodiscard]] standing standings() const {
    const double of_run = run_variance();
    // The common factor, from the entrants that ran.
    double weights = 0;
    double sum = 0;
    for (const participant& runner : entrants_) {
      if (runner.runs == 0) continue;
      const double weight = 1 / (prior_variance_ + of_run / static_cast<double>(runner.runs));
      weights += weight;
      sum += weight * (runner.mean - runner.prior);
    }
    const double factor = weights > 0 ? sum / weights : 0;
    std::vector<double> expected;
    std::vector<double> variance;
    for (const participant& runner : entrants_) {
      // Share of the measurement in the expectation; the prior has the rest.
      const auto runs = static_cast<double>(runner.runs);
      const double share = prior_variance_ * runs / (prior_variance_ * runs + of_run);
      expected.push_back(runner.prior + share * (runner.mean - factor - runner.prior));
      variance.push_back(prior_variance_ * (1 - share));
      if (runner.is_out) expected.back() = std::numeric_limits<double>::infinity();
    }
    standing result;
    result.leader = static_cast<std::size_t>(std::min_element(expected.begin(), expected.end()) - expected.begin());
    result.challenger = result.leader;
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      if (i == result.leader || entrants_[i].is_out) continue;
      const double lead = (expected[i] - expected[result.leader]) / std::sqrt(variance[i] + variance[result.leader]);
      if (lead >= result.lead) continue;
      result.challenger = i;
      result.lead = lead;
    }
    return result;
  }

  std::vector<participant> entrants_;
  std::size_t most_runs_;
  std::size_t runs_ = 0;
  double prior_variance_ = 0;
};

}  // namespace mlmq::selector
