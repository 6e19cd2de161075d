// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/alarm_clock.hpp"

#include <algorithm>
#include <utility>

namespace mlmq::backends {

void alarm_clock::set(double milliseconds, std::function<void()> ring) {
  // Limit the delay to a little more than a year, so that adding it to the time does not overflow.
  const std::chrono::duration<double, std::milli> delay(std::clamp(milliseconds, 0.0, 4e10));
  bool earlier = false;
  {
    const std::lock_guard lock(mutex_);
    ring_ = std::move(ring);
    ring_time_ = clock::now() + std::chrono::duration_cast<clock::duration>(delay);
    earlier = ring_time_ < sleeping_until_;
  }
  if (earlier) changed_.notify_one();
}

void alarm_clock::cancel() {
  const std::lock_guard lock(mutex_);
  ring_ = nullptr;
}

void alarm_clock::wait(const std::stop_token& end) {
  std::unique_lock lock(mutex_);
  while (!end.stop_requested()) {
    if (!ring_) {
      // Sleep until the old time, because the next alarm is most likely later.
      const auto unset = [this] { return static_cast<bool>(ring_) && ring_time_ < sleeping_until_; };
      if (sleeping_until_ <= clock::now()) sleeping_until_ = clock::time_point::max();
      if (sleeping_until_ == clock::time_point::max()) {
        changed_.wait(lock, end, unset);
      } else {
        changed_.wait_until(lock, end, sleeping_until_, unset);
      }
      continue;
    }
    if (clock::now() >= ring_time_) {
      // Call it under the lock, so that cancel() waits for its end.
      std::exchange(ring_, nullptr)();
      continue;
    }
    sleeping_until_ = ring_time_;
    // Copy the time, because wait_until() reads its argument without the lock: set() may then already write the time of
    // the next alarm, and the sleep would last longer than sleeping_until_.
    const clock::time_point until = ring_time_;
    changed_.wait_until(lock, end, until, [this] { return static_cast<bool>(ring_) && ring_time_ < sleeping_until_; });
  }
}

}  // namespace mlmq::backends
