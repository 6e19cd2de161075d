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
#include "tuner/search_space.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/tuning_run.hpp"

namespace mlmq::tuner {

/// Returns the guide of a learning strategy; required for the strategy `model` and for warm starts.
using guide_maker = std::function<strategy_guide(const db::workload_record&, const backends::device_info&)>;

/// A device has as many open tuning runs as workers, in the order of the workloads, so that a worker can stay with its
/// workload. The database keeps track of claims; a run uses recorded results only.
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
    std::unique_ptr<const search_space> own_space;  ///< null: that of all workloads
    tuning_run run;
  };
  struct device_runs {
    std::int64_t row = 0;
    backends::device_info info;
    std::size_t next = 0;  ///< index of the next tuning run of the plan to open
    std::vector<std::optional<open_run>> open;
  };
  bool advance(device_runs& device, std::optional<open_run>& slot);
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
