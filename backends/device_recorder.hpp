// SPDX-License-Identifier: Apache-2.0
// A device_monitor's readings, taken by a thread of their own: a look takes milliseconds, which is longer than most
// trials, and several processes that look at their GPUs wait for each other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "backends/device_monitor.hpp"

namespace mlmq::backends {

/// Looks at a device again and again. Thread-safe.
class device_recorder {
 public:
  using clock = std::chrono::steady_clock;

  /// Energy over some stretch of time.
  struct energy_use {
    double mj = 0;
    double window_ms = 0;
  };

  /// Returns after the first look. @param monitor not null @param interval between the end of a look and the next
  explicit device_recorder(std::unique_ptr<device_monitor> monitor,
                           std::chrono::milliseconds interval = std::chrono::milliseconds(20));
  device_recorder(const device_recorder&) = delete;
  device_recorder& operator=(const device_recorder&) = delete;
  ~device_recorder();

  /// What the last look found.
  [[nodiscard]] device_readings latest() const;

  /// Begins a stretch of time for energy_since_begin().
  void begin();

  /// Energy between the first and the last look since begin(), if there are two at least `shortest_window` apart and
  /// the device counts energy.
  [[nodiscard]] std::optional<energy_use> energy_since_begin() const;

  /// The counter of a GPU moves every few tens of milliseconds: over a shorter time its difference means nothing.
  static constexpr std::chrono::milliseconds shortest_window{100};

 private:
  struct energy_look {
    clock::time_point time;
    double mj;
  };

  void look();
  void keep_looking();

  std::unique_ptr<device_monitor> monitor_;
  std::chrono::milliseconds interval_;
  mutable std::mutex mutex_;
  std::condition_variable stop_changed_;
  bool stopping_ = false;
  device_readings latest_;
  std::optional<energy_look> first_;  // since begin()
  std::optional<energy_look> last_;
  std::thread thread_;
};

/// A recorder of open_monitor()'s monitor, or null where there is none.
[[nodiscard]] std::unique_ptr<device_recorder> record_device(const device_info& device);

}  // namespace mlmq::backends
