// SPDX-License-Identifier: Apache-2.0
// A tuning run: a strategy on one workload, whose evaluations are trials in the database. It has no device and never
// waits; workers in this or other processes run the trials.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "db/store.hpp"
#include "tuner/problem.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

/// Recorded trials are not measured again. A stopped run is resumed by starting it again: it replays the recorded
/// results.
class tuning_run {
 public:
  struct scope {
    std::int64_t experiment = 0;
    std::int64_t device = 0;
    std::int64_t workload = 0;
    std::vector<std::string> queries;
    std::vector<std::string> measurements = {"time"};               ///< per configuration; from measurements_of()
    std::uint64_t batch = 1;                                        ///< number of configurations to propose at once
    std::function<std::optional<double>(std::int64_t trial)> cost;  ///< of a right timed trial; none: its median
  };

  /// @param store, problem must outlive the run
  tuning_run(db::store& store, const problem& problem, scope run_scope, std::unique_ptr<strategy> chosen);

  /// If all trials() are finished, reports them to the strategy and plans batches until one has unfinished trials. The
  /// configurations of a batch are reported in the proposed order, regardless of the order in which they finish.
  /// @return whether there are trials to wait for; false: the run has ended
  bool advance();

  /// Returns the trials of the current batch in the proposed order; some may be finished.
  [[nodiscard]] std::span<const std::int64_t> trials() const { return trials_; }

  /// Returns the number of proposed configurations, including replayed ones.
  [[nodiscard]] std::uint64_t proposed_configurations() const { return proposed_configurations_; }
  /// Returns the spent share of the strategy's budget, 0 to 1.
  [[nodiscard]] double progress() const { return strategy_->progress(); }

 private:
  struct attempt {
    configuration proposed;
    std::vector<std::int64_t> timed;   // one per query
    std::vector<std::int64_t> others;  // trials with counters or timelines
  };
  void propose();
  [[nodiscard]] std::optional<evaluation> result(const attempt& entry) const;

  db::store& store_;
  const problem& problem_;
  scope scope_;
  std::unique_ptr<strategy> strategy_;
  std::vector<attempt> batch_;
  std::vector<std::int64_t> trials_;
  std::uint64_t proposed_configurations_ = 0;
};

}  // namespace mlmq::tuner
