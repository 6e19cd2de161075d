// SPDX-License-Identifier: Apache-2.0
// What a worker of a sweep and its supervisor say to each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "db/records.hpp"
#include "db/sessions.hpp"
#include "tuner/sweep_plan.hpp"
#include "tuner/variant_cache.hpp"

namespace mlmq::tuner {

/// What a worker is started with.
struct worker_task {
  std::string database;
  std::string device;       ///< selector
  std::string file;         ///< of the experiment, for messages; its text is in the database
  sweep_plan plan;          ///< the worker's own device is the only one
  unsigned rank = 0;        ///< among `workers`: each begins to compile elsewhere
  unsigned workers = 1;     ///< of this sweep on this host
  std::int64_t parent = 0;  ///< process that the worker must not outlive
  double grace_ms = 10e3;   ///< a worker that is silent for so long is taken for dead

  [[nodiscard]] std::string to_json() const;
  /// @throws nlohmann::json::exception or input_error for anything but what to_json() wrote
  [[nodiscard]] static worker_task from_json(std::string_view text);
};

/// One thing that a worker tells. Fields that do not belong to its kind keep their defaults.
struct worker_event {
  enum class kind {
    ready,  ///< the device is open; `text` is the worker's identity in the database
    /// Begins something that ends within `within_ms`; 0: nobody knows, but beats tell that it goes on. `text` says what,
    /// `trial` for which
    step,
    trial_done,  ///< recorded: trial, outcome, workload, query, text (the label), milliseconds (the median, 0: none), kernels_ms
    final_done,  ///< recorded: workload, query, text (the winner's label), milliseconds
    drained,     ///< nothing is left to claim: waits for more
    lost,        ///< the trial has cost the worker its device: outcome, text (why). The worker ends
    failed,      ///< the sweep cannot go on: text; `is_input` when the user's input is the reason. The worker ends
    ended,       ///< nothing more will come but beats
    beat,        ///< a sign of life from a thread of its own; `progress`
  };
  kind what = kind::step;
  std::string text = {};
  double within_ms = 0;
  std::int64_t trial = 0;
  db::outcome outcome = db::outcome::ok;
  std::string workload = {};
  std::string query = {};
  double milliseconds = 0;
  double kernels_ms = 0;
  bool is_input = false;
  std::uint64_t progress = 0;    ///< changes while a step without a limit goes on (backends::backend::progress())
  db::session_times times = {};  ///< since the worker started
  variant_cache::statistics variants = {};  ///< likewise

  /// One line, with its end.
  [[nodiscard]] std::string to_line() const;
  /// Nothing for a line that is no event: something else may have printed it.
  [[nodiscard]] static std::optional<worker_event> from_line(std::string_view line);
};

/// A worker's side of the connection.
class worker_link {
 public:
  virtual ~worker_link() = default;
  /// The main thread and a heartbeat call it.
  virtual void tell(const worker_event& event) = 0;
  /// Asked before every trial.
  [[nodiscard]] virtual bool stop_requested() = 0;
  /// Nothing is left to claim. @return true when that may have changed, false when the sweep is over
  [[nodiscard]] virtual bool wait_for_more() = 0;
};

}  // namespace mlmq::tuner
