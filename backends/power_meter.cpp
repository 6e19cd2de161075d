// SPDX-License-Identifier: Apache-2.0
#include "backends/power_meter.hpp"

#include <mutex>
#include <thread>

namespace mlmq::backends {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_readings{1};
/// A counter that has not changed for this time is taken for one that never does.
constexpr std::chrono::seconds longest_silence{2};

/// Reads the energy counter on a thread of its own, and remembers its first and last update.
class update_watch {
 public:
  explicit update_watch(device_monitor& monitor) : monitor_(monitor) {}

  /// Returns the power between the first and the last update so far; nothing before the second.
  [[nodiscard]] std::optional<mean_power> power() const {
    const std::lock_guard lock(mutex_);
    if (first_.time == last_.time) return std::nullopt;
    const double window_ms = std::chrono::duration<double, std::milli>(last_.time - first_.time).count();
    return mean_power{.watts = (last_.mj - first_.mj) / window_ms, .window_ms = window_ms};
  }

  /// Returns the time since the last update.
  [[nodiscard]] clock::duration silence() const {
    const std::lock_guard lock(mutex_);
    return clock::now() - (last_.time == clock::time_point{} ? start_ : last_.time);
  }

 private:
  struct update {
    clock::time_point time{};
    double mj = 0;
  };

  void watch(const std::stop_token& stop) {
    std::optional<update> previous;
    while (!stop.stop_requested()) {
      const std::optional<double> reading = monitor_.energy_mj();
      if (!reading) return;
      const update now{.time = clock::now(), .mj = *reading};
      if (previous && now.mj != previous->mj) {
        const std::lock_guard lock(mutex_);
        last_ = {.time = previous->time + (now.time - previous->time) / 2, .mj = now.mj};
        if (first_.time == clock::time_point{}) first_ = last_;
      }
      previous = now;
      std::this_thread::sleep_for(between_readings);
    }
  }

  device_monitor& monitor_;
  clock::time_point start_ = clock::now();
  mutable std::mutex mutex_;
  update first_;
  update last_;
  std::jthread thread_{[this](const std::stop_token& stop) { watch(stop); }};  // the last member: it uses the others
};

}  // namespace

std::optional<mean_power> measure_power(device_monitor& monitor, std::chrono::milliseconds window,
                                        const std::function<bool()>& work) {
  const update_watch watch(monitor);
  for (;;) {
    const std::optional<mean_power> power = watch.power();
    if (power && power->window_ms >= static_cast<double>(window.count())) return power;
    if (watch.silence() > longest_silence || !work()) return std::nullopt;
  }
}

}  // namespace mlmq::backends
