// SPDX-License-Identifier: Apache-2.0
// Breakdown of the wall time of workers: one row per worker process, updated while it runs, so that a killed worker
// leaves its last report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/store.hpp"

namespace mlmq::db {

/// Milliseconds of wall time since the worker started. The remainder of `wall` was spent on opening the device,
/// communication with the supervisor, and other work.
struct session_times {
  double wall = 0;
  double measure = 0;  ///< runs, from queueing to the end, warm-up and retries included
  double compile = 0;  ///< waiting for a variant
  double prepare = 0;  ///< preparing a configuration: layouts of the rows, queue sizes, loading the kernel
  double record = 0;   ///< claiming trials and recording results, including waiting for other writers of the database
  double load = 0;     ///< reading and generating workloads
  double upload = 0;   ///< copying workloads to the device
  double check = 0;    ///< comparing answers
  double idle = 0;     ///< waiting for a trial that may become free

  session_times& operator+=(const session_times& more);
  /// Returns the wall time that is in none of the parts.
  [[nodiscard]] double other() const;
};

/// Formats the shares of the wall time: "94.5 % runs, 0.4 % checking answers, …". @param runs text added to the first
/// share
[[nodiscard]] std::string shares_text(const session_times& times, const std::string& runs = "");

std::int64_t start_session(store& into, std::int64_t experiment, std::int64_t device, std::int64_t host,
                           const std::string& worker, const std::string& selector);
void update_session(store& into, std::int64_t session, const session_times& times, std::size_t trials);

/// Sum of the sessions of one experiment on one device ("cuda:0" and "cuda:1" of a host are two devices).
struct device_sessions {
  std::string device;
  std::string host;
  std::string selector;
  std::size_t sessions = 0;
  std::size_t trials = 0;
  session_times times;
};
[[nodiscard]] std::vector<device_sessions> read_sessions(const store& source, std::int64_t experiment);

}  // namespace mlmq::db
