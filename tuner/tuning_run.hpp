// SPDX-License-Identifier: Apache-2.0
// A tuning run: a strategy at work on one workload, whose evaluations are trials in the database. It has no device and waits for nothing: whoever has
// devices runs the trials, in this process or in others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "db/store.hpp"
#include "tuner/problem.hpp"
#include "tuner/strategy.hpp"

namespace mlmq::tuner {

/// What is recorded is not measured again: a run that was stopped is continued by running it from its start, which
/// repeats it up to where it was.
class tuning_run {
 public:
  struct scope {
    std::int64_t experiment = 0;
    std::int64_t device = 0;
    std::int64_t workload = 0;
    std::vector<std::string> queries;
    std::vector<std::string> measurements = {"time"};  ///< of each configuration: as measurements_of() gives them
    std::uint64_t batch = 1;                           ///< how many configurations to decide on at once
  };

  /// @param store, what must outlive the run
  tuning_run(db::store& store, const problem& of, scope where, std::unique_ptr<strategy> chosen);

  /// When all trials() are done, tells the strategy and plans the next batch, until one has trials that are not done.
  /// The configurations of a batch are reported in the order proposed, so it does not matter which is finished first.
  /// @return whether there are trials to wait for; false: the run is at its end
  bool advance();

  /// Of the present batch, in the order proposed; some may be done.
  [[nodiscard]] std::span<const std::int64_t> trials() const { return trials_; }

  /// Configurations that have been proposed, those of earlier runs included.
  [[nodiscard]] std::uint64_t proposed_configurations() const { return proposed_configurations_; }
  /// The share of the strategy's budget that is spent, 0 to 1.
  [[nodiscard]] double progress() const { return strategy_->progress(); }

 private:
  struct attempt {
    configuration proposed;
    std::vector<std::int64_t> timed;   // one for each query
    std::vector<std::int64_t> others;  // that count or record, or none
  };
  void propose();
  [[nodiscard]] std::optional<evaluation> result(const attempt& one) const;

  db::store& store_;
  const problem& problem_;
  scope where_;
  std::unique_ptr<strategy> strategy_;
  std::vector<attempt> batch_;
  std::vector<std::int64_t> trials_;
  std::uint64_t proposed_configurations_ = 0;
};

}  // namespace mlmq::tuner
