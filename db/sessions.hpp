// SPDX-License-Identifier: Apache-2.0
// Where the wall time of workers went: one row for each worker process, brought up to date while it runs, so that a
// killed one leaves what it had told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/store.hpp"

namespace mlmq::db {

/// Milliseconds of wall time since the worker started. What is missing to `wall` went to opening the device, to talking to
/// the supervisor and the rest.
struct session_times {
  double wall = 0;
  double measure = 0;  ///< runs, from queueing to the end, warm-up and retries included
  double compile = 0;  ///< waiting for a variant
  double prepare = 0;  ///< making a configuration ready: layouts of the rows, the queue's sizes, loading the kernel
  double record = 0;   ///< claiming trials and recording results, the database's other writers waited for
  double load = 0;     ///< reading and generating workloads
  double upload = 0;   ///< bringing them to the device
  double check = 0;    ///< comparing answers
  double idle = 0;     ///< waiting for a trial that may become free

  session_times& operator+=(const session_times& more);
  /// What is in none of the parts.
  [[nodiscard]] double other() const;
};

/// Shares of the wall time, for a person: "94.5 % runs, 0.4 % checking answers, …". @param runs what is added to the first
[[nodiscard]] std::string shares_text(const session_times& times, const std::string& runs = "");

std::int64_t start_session(store& into, std::int64_t experiment, std::int64_t device, std::int64_t host,
                           const std::string& worker, const std::string& selector);
void update_session(store& into, std::int64_t session, const session_times& times, std::size_t trials);

/// The sessions of one experiment together, for each device they ran on ("cuda:0" and "cuda:1" of a host are two).
struct device_sessions {
  std::string device;
  std::string host;
  std::string selector;
  std::size_t sessions = 0;
  std::size_t trials = 0;
  session_times times;
};
[[nodiscard]] std::vector<device_sessions> read_sessions(const store& from, std::int64_t experiment);

}  // namespace mlmq::db
