// SPDX-License-Identifier: Apache-2.0
// Reads a device_monitor on a separate thread, because a reading takes longer than most trials (milliseconds), and
// processes that read their GPUs at the same time wait for each other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "backends/device_monitor.hpp"

namespace mlmq::backends {

/// Reads a device repeatedly. Thread-safe.
class device_recorder {
 public:
  using clock = std::chrono::steady_clock;

  /// Energy used in an interval of time.
  struct energy_use {
    double mj = 0;
    double window_ms = 0;
  };

  /// Starts to read the device, and returns after the first reading.
  /// @param monitor   not null
  /// @param interval  time between the end of a reading and the start of the next
  explicit device_recorder(std::unique_ptr<device_monitor> monitor,
                           std::chrono::milliseconds interval = std::chrono::milliseconds(20));
  device_recorder(const device_recorder&) = delete;
  device_recorder& operator=(const device_recorder&) = delete;
  ~device_recorder();

  /// Returns the last readings.
  [[nodiscard]] device_readings latest() const;

  /// Begins the interval of energy_since_begin().
  void begin();

  /// Returns the energy between the first and the last reading since begin(). Returns nothing if these are less than
  /// `shortest_window` apart or the device does not count energy.
  [[nodiscard]] std::optional<energy_use> energy_since_begin() const;

  /// Shortest interval for which energy is reported. A GPU updates its energy counter only every few tens of
  /// milliseconds.
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
  std::optional<energy_look> first_;  // first reading since begin()
  std::optional<energy_look> last_;
  std::thread thread_;
};

/// Creates a recorder with the monitor of open_monitor(), or returns null if that is null.
[[nodiscard]] std::unique_ptr<device_recorder> record_device(const device_info& device);

}  // namespace mlmq::backends
