// SPDX-License-Identifier: Apache-2.0
// What a sweep tells while it runs and at its end, put together from what its workers tell.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "db/code.hpp"
#include "db/store.hpp"
#include "tuner/tuning_runs.hpp"
#include "tuner/worker_link.hpp"

namespace mlmq::tuner {

/// What a sweep tells while it runs.
struct sweep_progress {
  /// Trials of the experiment on the devices of the sweep and others, also those that a learning strategy may still plan.
  std::size_t total = 0;
  std::size_t done = 0;                         ///< finished, in this and earlier runs
  std::size_t measured = 0;                     ///< finished in this run
  std::map<db::outcome, std::size_t> outcomes;  ///< of the trials finished in this run
  std::size_t finals = 0;                       ///< finished in this run
  double elapsed_s = 0;
  std::string workload;    ///< of the last trial
  std::string best_label;  ///< fastest configuration so far on that workload and query
  double best_ms = 0;      ///< its time; 0 when none is known
  /// The spent share of a budget that limits the time and not the number of trials; negative: no such budget.
  double spent_budget = -1;
  double spent_before = 0;  ///< that share when this run began
  /// Workers that have been at something for long: "cuda:0: no sign of life for 4 s, loading road20"; else empty
  std::string waiting;

  [[nodiscard]] double per_second() const { return elapsed_s > 0 ? static_cast<double>(measured) / elapsed_s : 0; }
  /// The share of the sweep that is done, 0 to 1.
  [[nodiscard]] double share_done() const {
    if (spent_budget >= 0) return spent_budget;
    return total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  }
  /// Seconds to go at the present rate; negative when unknown.
  [[nodiscard]] double seconds_left() const {
    if (measured == 0) return -1;
    if (spent_budget < 0) return static_cast<double>(total - done) / per_second();
    const double spent_now = spent_budget - spent_before;
    return spent_now > 0 ? elapsed_s * (1 - spent_budget) / spent_now : -1;
  }
};

/// Where the wall time of one device's workers went.
struct device_times {
  std::string selector;
  db::session_times times;
  double kernels_ms = 0;  ///< what the device itself took for the timed samples, of times.measure
};

struct sweep_summary {
  std::int64_t experiment = 0;
  sweep_progress progress;
  std::map<db::outcome, std::size_t>
      outcomes;  ///< of all finished trials of the experiment, also those of earlier runs
  double total_ms = 0;
  double load_ms = 0;  ///< reading and generating workloads before the workers started
  std::vector<device_times> devices;
  variant_cache::statistics variants;
  bool interrupted = false;           ///< stopped by the caller's request
  std::size_t workers_lost = 0;       ///< died or were killed, and were replaced or given up
  std::vector<std::string> notes;     ///< what went wrong with devices, for a person
  std::size_t running_elsewhere = 0;  ///< trials that another sweep is at
  db::hidden_trials other_code;       ///< of the experiment; all other numbers leave them out
};

/// Adds up what workers tell. One slot for each worker place; a place may see several workers, one after the other.
class sweep_tally {
 public:
  /// @param runs of a strategy that learns, else null
  sweep_tally(const db::store& store, const sweep_plan& plan, const tuning_runs* runs,
              std::vector<std::string> selectors);

  /// @return whether it was a finished trial
  bool note(std::size_t slot, const worker_event& event);
  /// There may be more trials than there were.
  void note_planned();
  /// The worker of the slot is gone; the next one counts from zero again.
  void close_slot(std::size_t slot);
  /// Trials that were recorded for a worker that died.
  void note_recorded(db::outcome how, std::size_t count);

  [[nodiscard]] const sweep_progress& progress() const { return progress_; }
  /// Counts anew from the database.
  [[nodiscard]] sweep_summary summary();

 private:
  struct best_so_far {
    double milliseconds = 0;  // 0: none yet
    std::string label;
  };
  struct place {
    std::string selector;
    worker_event last;          // of the present worker
    db::session_times earlier;  // of those before it
    double kernels_ms = 0;
  };
  db::progress refresh();
  void count_total(const db::progress& recorded);

  const db::store& store_;
  const sweep_plan& plan_;
  const tuning_runs* runs_;
  bool has_begun_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<place> places_;
  variant_cache::statistics variants_;  // of workers that are gone
  std::map<std::pair<std::string, std::string>, best_so_far> best_;
  sweep_progress progress_;
};

}  // namespace mlmq::tuner
