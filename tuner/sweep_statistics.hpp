// SPDX-License-Identifier: Apache-2.0
// Progress and summary of a sweep, aggregated from the events of its workers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "db/code.hpp"
#include "db/objective.hpp"
#include "db/records.hpp"
#include "db/store.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/tuning_runs.hpp"
#include "tuner/worker_link.hpp"

namespace mlmq::tuner {

/// Outcome of a sweep, for callers that use its trials or run further sweeps.
struct sweep_outcome {
  std::string experiment = {};              ///< its name
  std::vector<std::string> workloads = {};  ///< content hashes, in the order of the experiment
  std::vector<left_out_workload> left_out = {};
  std::vector<db::device_record> devices = {};  ///< one per worker
  std::vector<unfit_configuration> unfit = {};  ///< configurations that were left out
  std::size_t done = 0;                         ///< finished trials
  std::size_t failed = 0;                       ///< failed trials, including earlier runs
  std::size_t elsewhere = 0;                    ///< trials that another sweep is measuring
  bool interrupted = false;                     ///< whether Ctrl-C ended it
  bool out_of_time = false;                     ///< whether the time limit ended it
};

/// Progress of a running sweep.
struct sweep_progress {
  /// All trials of the experiment on all devices, including those that a learning strategy may still plan.
  std::size_t total = 0;
  std::size_t done = 0;                         ///< trials finished in this and earlier runs
  std::size_t measured = 0;                     ///< trials finished in this run
  std::map<db::outcome, std::size_t> outcomes;  ///< outcomes of the trials finished in this run
  std::size_t finals = 0;                       ///< finals finished in this run
  double elapsed_s = 0;
  std::string workload;              ///< workload of the last trial
  db::objective criterion;           ///< the first objective of the experiment
  std::string best_label;            ///< label of the best configuration so far on that workload and query
  std::optional<double> best_value;  ///< its value of the objective; nothing without a right answer so far
  /// Spent share of a time budget; negative: no such budget.
  double spent_budget = -1;
  double spent_before = 0;  ///< share that was spent when this run began
  /// Workers with a long step: "cuda:0: no sign of life for 4 s, loading road20"; otherwise empty.
  std::string waiting;

  [[nodiscard]] double per_second() const { return elapsed_s > 0 ? static_cast<double>(measured) / elapsed_s : 0; }
  /// Returns the finished share of the sweep, 0 to 1.
  [[nodiscard]] double share_done() const {
    if (spent_budget >= 0) return spent_budget;
    return total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  }
  /// Returns the remaining seconds at the current rate; negative: unknown.
  [[nodiscard]] double seconds_left() const {
    if (measured == 0) return -1;
    if (spent_budget < 0) return static_cast<double>(total - done) / per_second();
    const double spent_now = spent_budget - spent_before;
    return spent_now > 0 ? elapsed_s * (1 - spent_budget) / spent_now : -1;
  }
};

/// Breakdown of the wall time of one device's workers.
struct device_times {
  std::string selector;
  db::session_times times;
  double kernels_ms = 0;  ///< device time of the timed samples, part of times.measure
};

struct sweep_summary {
  std::int64_t experiment = 0;
  sweep_progress progress;
  std::map<db::outcome, std::size_t> outcomes;  ///< outcomes of all finished trials of the experiment, including
                                                ///< earlier runs
  double total_ms = 0;
  double load_ms = 0;  ///< time to read and generate workloads before the workers started
  std::vector<device_times> devices;
  variant_cache::statistics variants;
  bool interrupted = false;           ///< stopped at the caller's request
  std::size_t workers_lost = 0;       ///< workers that died or were killed
  std::vector<std::string> notes;     ///< problems with devices, for users
  std::size_t running_elsewhere = 0;  ///< trials that another sweep is measuring
  db::hidden_trials other_code;       ///< trials of the experiment with other code, not included in the other numbers
};

/// Aggregates worker events. A slot belongs to one device and may have several workers in succession.
class sweep_statistics {
 public:
  /// @param runs null unless the strategy learns
  sweep_statistics(const db::store& store, const growing_plan& plan, const tuning_runs* runs,
                   std::vector<std::string> selectors);

  /// Processes an event. @return whether it was a finished trial
  bool note(std::size_t slot, const worker_event& event);
  /// Updates the total after new trials have been planned.
  void note_planned();
  /// Accounts for the end of the slot's worker; the counters of the next worker start from zero.
  void close_slot(std::size_t slot);
  /// Counts trials that were recorded on behalf of a dead worker.
  void note_recorded(db::outcome outcome, std::size_t count);

  [[nodiscard]] const sweep_progress& progress() const { return progress_; }
  /// Returns the summary, with counts from the database.
  [[nodiscard]] sweep_summary summary();

 private:
  struct best_so_far {
    std::optional<double> cost;  // nothing: none yet
    std::string label;
  };
  struct slot_state {
    std::string selector;
    worker_event last;          // last event of the current worker
    db::session_times earlier;  // times of the previous workers
    double kernels_ms = 0;
  };
  db::progress refresh();
  [[nodiscard]] std::optional<double> cost_of(const worker_event& event) const;
  void count_total(const db::progress& recorded);

  const db::store& store_;
  const growing_plan& growing_;
  const sweep_plan& plan_;
  const tuning_runs* runs_;
  bool has_begun_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<slot_state> slots_;
  variant_cache::statistics variants_;  // statistics of workers that have ended
  std::map<std::pair<std::string, std::string>, best_so_far> best_;
  sweep_progress progress_;
};

}  // namespace mlmq::tuner
