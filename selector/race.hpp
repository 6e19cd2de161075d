// SPDX-License-Identifier: Apache-2.0
// Compares configurations by the times of queries that they answer in turn, each query by one of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace mlmq::selector {

/// The entrants run in turn, until each of those that are left has as many runs as the race allows, or one is left. An
/// entrant that is surely slower than the leader leaves. Times of different queries are compared, so a few runs decide
/// nothing: two entrants count as different if their mean logarithms differ by more than `sure` standard errors.
class race {
 public:
  /// @param entrants at least 1
  /// @param most_runs runs of each entrant, at least 1
  race(std::size_t entrants, std::size_t most_runs) : entrants_(entrants), most_runs_(most_runs) {}

  /// Returns the entrant that runs next: the first of those with the fewest runs. The race must not be decided.
  [[nodiscard]] std::size_t next() const {
    std::size_t chosen = leader();
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      const bool is_tied_and_first = entrants_[i].runs == entrants_[chosen].runs && i < chosen;
      if (!entrants_[i].is_out && (entrants_[i].runs < entrants_[chosen].runs || is_tied_and_first)) chosen = i;
    }
    return chosen;
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
    drop_slower_ones();
  }

  [[nodiscard]] bool decided() const {
    std::size_t in_race = 0;
    std::size_t unfinished = 0;
    for (const participant& runner : entrants_) {
      in_race += runner.is_out ? 0 : 1;
      unfinished += runner.is_out || runner.runs >= most_runs_ ? 0 : 1;
    }
    return in_race <= 1 || unfinished == 0;
  }

  /// Returns the entrant with the smallest mean; the first one before any run.
  [[nodiscard]] std::size_t leader() const {
    std::size_t best = 0;
    const auto mean = [this](std::size_t i) {
      const participant& runner = entrants_[i];
      return runner.is_out ? std::numeric_limits<double>::infinity() : runner.runs == 0 ? 1e300 : runner.mean;
    };
    for (std::size_t i = 1; i < entrants_.size(); ++i) {
      if (mean(i) < mean(best)) best = i;
    }
    return best;
  }

  /// Returns the number of runs of all entrants.
  [[nodiscard]] std::size_t runs() const { return runs_; }

 private:
  struct participant {
    std::size_t runs = 0;
    double mean = 0;     // of the logarithms
    double squares = 0;  // sum of their squared deviations
    bool is_out = false;
  };
  static constexpr std::size_t least_runs = 3;
  static constexpr double sure = 3;

  void drop_slower_ones() {
    double squares = 0;
    double freedom = 0;
    for (const participant& runner : entrants_) {
      if (runner.is_out) continue;
      if (runner.runs < least_runs) return;
      squares += runner.squares;
      freedom += static_cast<double>(runner.runs - 1);
    }
    const participant& best = entrants_[leader()];
    const double variance = squares / freedom;
    for (participant& runner : entrants_) {
      const double error =
          std::sqrt(variance * (1 / static_cast<double>(runner.runs) + 1 / static_cast<double>(best.runs)));
      if (&runner != &best && runner.mean - best.mean > sure * error) runner.is_out = true;
    }
  }

  std::vector<participant> entrants_;
  std::size_t most_runs_;
  std::size_t runs_ = 0;
};

}  // namespace mlmq::selector
