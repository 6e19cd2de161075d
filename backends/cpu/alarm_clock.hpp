// SPDX-License-Identifier: Apache-2.0
// Timer that calls a function when work takes too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace mlmq::backends {

/// Timer with one thread. Setting the alarm wakes the thread only if the new time is earlier than the one it sleeps
/// until.
class alarm_clock {
 public:
  alarm_clock() : thread_([this](const std::stop_token& end) { wait(end); }) {}
  alarm_clock(const alarm_clock&) = delete;
  alarm_clock& operator=(const alarm_clock&) = delete;
  ~alarm_clock() = default;

  /// Calls `ring` once, on another thread, after `milliseconds`, unless cancel() comes first.
  void set(double milliseconds, std::function<void()> ring);

  /// Cancels the alarm. After this returns, `ring` is not running and will not be called.
  void cancel();

 private:
  using clock = std::chrono::steady_clock;

  void wait(const std::stop_token& end);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::function<void()> ring_;  // empty if no alarm is set
  clock::time_point ring_time_;
  clock::time_point sleeping_until_ = clock::time_point::max();
  std::jthread thread_;  // last member, because it uses all of the above
};

}  // namespace mlmq::backends
