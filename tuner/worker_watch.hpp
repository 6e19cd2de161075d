// SPDX-License-Identifier: Apache-2.0
// Detects stuck workers from their messages: docs/internals/sweeps.md describes the rule.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace mlmq::tuner {

/// Watches one worker process. The caller provides all times, which must not decrease.
class worker_watch {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  using duration = std::chrono::steady_clock::duration;

  explicit worker_watch(double grace_ms) : grace_ms_(grace_ms) {}

  /// Begins to watch a new process, whose first step is starting.
  void start(time_point now);
  /// Notes that the process has sent something.
  void hear(time_point now) { heard_ = now; }
  /// Notes the begin of a step that ends within `within_ms`; 0: no limit, beats report its progress.
  void begin(const std::string& doing, double within_ms, time_point now);
  /// Notes that the worker waits for orders, without a limit.
  void rest(time_point now);
  /// Notes the device's progress from a beat.
  void progress(std::uint64_t value, time_point now);
  /// Excludes a pause of the observer from all measured times.
  void forgive(duration pause);

  /// Returns whether the worker has been silent for longer than the grace period.
  [[nodiscard]] bool is_silent(time_point now) const;
  /// Returns why the worker must be killed, or nothing.
  [[nodiscard]] std::optional<std::string> verdict(time_point now) const;
  /// Returns a text for users about a long wait, such as "no sign of life for 4 s, loading road20", or "".
  [[nodiscard]] std::string waiting_for(time_point now) const;
  [[nodiscard]] const std::string& doing() const { return doing_; }

 private:
  enum class limit {
    time,      ///< within_ms_ plus the grace period
    progress,  ///< the grace period since the last progress
    none,
  };

  double grace_ms_;
  time_point heard_;
  time_point began_;
  time_point progressed_;
  std::uint64_t progress_ = 0;
  std::string doing_;
  limit limit_ = limit::none;
  double within_ms_ = 0;
};

}  // namespace mlmq::tuner
