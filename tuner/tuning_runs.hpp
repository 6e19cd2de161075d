// SPDX-License-Identifier: Apache-2.0
// The tuning runs of a sweep whose strategy learns: one for each workload and device, run by the supervisor while its workers
// measure what they decide on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// What a strategy that learns may use on a workload and a device; needed for the strategy `model` and for warm starts.
using guide_maker = std::function<strategy_guide(const db::workload_record&, const backends::device_info&)>;

/// As many tuning runs of a device are open as it has workers, in the order of the workloads, so that a worker can stay with
/// its workload. What is claimed, and by whom, is for the database to say; a run looks at nothing but what is recorded.
class tuning_runs {
 public:
  /// @param plan, experiment, tuned, store must outlive the tuning runs
  /// @param devices one for each of plan.devices
  /// @param guide empty: none
  tuning_runs(const sweep_plan& plan, std::span<const backends::device_info> devices,
              const experiment_file& experiment, const problem& tuned, db::store& store, guide_maker guide);

  /// Wherever all that was decided on is measured, decides what to measure next; the finals of a workload are planned when
  /// its run is at its end. @return whether anything was planned
  /// @throws input_error when a workload's record lacks what the guide needs
  bool advance();

  /// Whether a run is not at its end.
  [[nodiscard]] bool unfinished() const;

  /// Trials that may still be planned before all budgets are spent; nothing when only `seconds` of the strategy limits them.
  [[nodiscard]] std::optional<std::uint64_t> unplanned_trials() const;

  /// The mean share of the runs' budgets that is spent, 0 to 1.
  [[nodiscard]] double spent_budget() const;

 private:
  struct open_run {
    const planned_tuning* what;
    tuning_run run;
  };
  struct device {
    std::int64_t row = 0;
    backends::device_info info;
    std::size_t next = 0;  ///< of the plan's tuning runs: not yet open
    std::vector<std::optional<open_run>> open;
  };
  bool advance(device& on, std::optional<open_run>& slot);
  [[nodiscard]] open_run begin(const device& on, const planned_tuning& what) const;
  bool add_finals(const device& on, const planned_tuning& of);

  const sweep_plan& plan_;
  const experiment_file& experiment_;
  const problem& problem_;
  db::store& store_;
  guide_maker guide_;
  const search_space space_;
  std::vector<device> devices_;
};

}  // namespace mlmq::tuner
