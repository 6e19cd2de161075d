// SPDX-License-Identifier: Apache-2.0
// Messages between a worker of a sweep and its supervisor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/records.hpp"
#include "db/sessions.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/variant_cache.hpp"

namespace mlmq::tuner {

/// Task of a worker.
struct worker_task {
  std::string database;
  std::string device;       ///< selector
  std::string file;         ///< experiment file, for messages; its text is in the database
  sweep_plan plan;          ///< plan, with the worker's own device only
  unsigned rank = 0;        ///< rank of the worker among `workers`; determines where it begins compiling ahead
  unsigned workers = 1;     ///< workers of this sweep on this host
  std::int64_t parent = 0;  ///< id of the supervisor process, which the worker must not outlive
  double grace_ms = 10e3;   ///< a worker that is silent for this long is considered dead
  /// Whether the plan may grow: the supervisor announces further workloads before it plans trials on them.
  bool more_workloads = false;

  [[nodiscard]] std::string to_json() const;
  /// @throws nlohmann::json::exception or input_error for anything but what to_json() wrote
  [[nodiscard]] static worker_task from_json(std::string_view text);
};

/// A message from a worker. Fields that do not belong to its kind keep their defaults.
struct worker_event {
  enum class kind {
    ready,  ///< the device is open; `text` is the worker's identity in the database
    /// Begins a step that ends within `within_ms`; 0: no limit, beats report its progress. `text` describes the step,
    /// `trial` is its trial
    step,
    trial_done,  ///< recorded: trial, outcome, workload, query, text (the label), milliseconds (the median, 0: none),
                 ///< kernels_ms
    final_done,  ///< recorded: workload, query, text (the winner's label), milliseconds
    drained,     ///< no trial is left to claim; waits for more
    lost,        ///< the trial lost the device: outcome, text (reason). The worker ends
    failed,      ///< the sweep cannot continue: text; `is_input` if the user's input is the reason. The worker ends
    ended,       ///< only beats may follow
    beat,        ///< heartbeat from a separate thread: `progress`
  };
  kind type = kind::step;
  std::string text = {};
  double within_ms = 0;
  std::int64_t trial = 0;
  db::outcome outcome = db::outcome::ok;
  std::string workload = {};
  std::string query = {};
  double milliseconds = 0;
  double kernels_ms = 0;
  bool is_input = false;
  std::uint64_t progress = 0;  ///< changes while a step without a limit makes progress (backends::backend::progress())
  db::session_times times = {};             ///< since the worker started
  variant_cache::statistics variants = {};  ///< since the worker started

  /// Returns one line with a line feed.
  [[nodiscard]] std::string to_line() const;
  /// Parses a line. Returns nothing for other output of the process.
  [[nodiscard]] static std::optional<worker_event> from_line(std::string_view line);
};

/// Returns a line, without line feed, that announces a workload to a worker.
[[nodiscard]] std::string workload_message(const planned_workload& planned);
/// Reads a line of workload_message(). Returns nothing for other messages.
[[nodiscard]] std::optional<planned_workload> workload_from_message(std::string_view line);

/// Worker's side of the connection.
class worker_link {
 public:
  virtual ~worker_link() = default;
  /// Sends an event. Called by the main thread and the heartbeat thread.
  virtual void send(const worker_event& event) = 0;
  /// Called before every trial.
  [[nodiscard]] virtual bool stop_requested() = 0;
  /// Waits for more trials. @return true if there may be new trials, false if the sweep has ended
  [[nodiscard]] virtual bool wait_for_more() = 0;
  /// Returns the workloads that the supervisor has announced since the last call.
  [[nodiscard]] virtual std::vector<planned_workload> take_workloads() { return {}; }
  /// Waits until there are workloads to take. @return false if no other workload will be announced
  [[nodiscard]] virtual bool wait_for_workloads() { return false; }
};

}  // namespace mlmq::tuner
