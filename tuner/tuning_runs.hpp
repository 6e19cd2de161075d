// SPDX-License-Identifier: Apache-2.0
// The tuning runs of a sweep with a learning strategy, one per workload and device. The supervisor advances them while
// its workers measure the proposals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/backend.hpp"
#include "db/store.hpp"
#include "tuner/experiment_file.hpp"
#include "tuner/problem.hpp"
#include "tuner/search_space.hpp"
#include "tuner/strategy.hpp"
#include "tuner/sweep_plan.hpp"

namespace mlmq::tuner {

/// A strategy on one workload, whose evaluations are trials in the database. It has no device and never waits; workers
/// in this or other processes run the trials.
///
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

  /// Reads the results of the current batch. @return whether all its trials are finished, so that propose() is next
  [[nodiscard]] bool collect();

  /// Reports the results to the strategy, in the proposed order whatever the order in which they finished, and asks it
  /// for the next batch. Reads and writes nothing that another run has.
  void propose();

  /// Plans the trials of the next batch. @return false: there is none, the run has ended
  bool plan();

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
  [[nodiscard]] std::optional<evaluation> result(const attempt& entry) const;

  db::store& store_;
  const problem& problem_;
  scope scope_;
  std::unique_ptr<strategy> strategy_;
  std::vector<attempt> batch_;
  std::vector<evaluation> results_;  // of batch_, after collect()
  std::vector<std::int64_t> trials_;
  std::uint64_t proposed_configurations_ = 0;
};

/// Returns the guide of a learning strategy; required for the strategy `model` and for warm starts.
using guide_maker = std::function<strategy_guide(const db::workload_record&, const backends::device_info&)>;

/// A device has several open tuning runs for each of its workers, in the order of the workloads: while the proposal of
/// one is compiled, that of another is measured. All workloads of open runs should stay on the device; if they are too
/// large, fewer runs are open, but always one for each worker. The database keeps track of claims; a run uses recorded
/// results only.
class tuning_runs {
 public:
  /// @param plan, experiment, tuned, store must outlive the tuning runs
  /// @param devices one per entry of plan.devices
  /// @param guide empty: no guide
  tuning_runs(const sweep_plan& plan, std::span<const backends::device_info> devices, const experiment_file& experiment,
              const problem& tuned, db::store& store, guide_maker guide);

  /// Plans the next trials of all runs whose proposals have been measured, and the finals of workloads whose run has
  /// ended.
  /// @return whether anything was planned
  /// @throws input_error if a workload's record lacks features that the guide needs
  bool advance();

  /// Returns whether any run has not ended.
  [[nodiscard]] bool unfinished() const;

  /// Returns the number of trials that may still be planned, or nothing if only `seconds` of the strategy limits them.
  [[nodiscard]] std::optional<std::uint64_t> unplanned_trials() const;

  /// Returns the mean spent share of the runs' budgets, 0 to 1.
  [[nodiscard]] double spent_budget() const;

 private:
  struct open_run {
    const planned_tuning* tuning;
    std::unique_ptr<const search_space> space;
    tuning_run run;
  };
  struct device_runs {
    std::int64_t row = 0;
    backends::device_info info;
    std::size_t next = 0;     ///< index of the next tuning run of the plan to open
    std::size_t workers = 0;  ///< as many of `open` are open whatever their workloads need
    std::vector<std::optional<open_run>> open;
  };
  /// A run whose batch has been measured.
  struct waiting_run {
    device_runs* device;
    std::optional<open_run>* slot;
  };
  /// Opens runs where there is room. Returns those that can propose.
  [[nodiscard]] std::vector<waiting_run> runs_to_propose();
  [[nodiscard]] bool has_room(const device_runs& device, const std::optional<open_run>& slot) const;
  [[nodiscard]] open_run begin(const device_runs& device, const planned_tuning& tuning) const;
  bool add_finals(const device_runs& device, const planned_tuning& tuning);

  const sweep_plan& plan_;
  const experiment_file& experiment_;
  const problem& problem_;
  db::store& store_;
  guide_maker guide_;
  const search_space space_;
  const parameter_set parameters_;
  std::vector<device_runs> devices_;
};

}  // namespace mlmq::tuner
