// SPDX-License-Identifier: Apache-2.0
#include "backends/device_recorder.hpp"

#include <utility>

namespace mlmq::backends {

device_recorder::device_recorder(std::unique_ptr<device_monitor> monitor, std::chrono::milliseconds interval)
    : monitor_(std::move(monitor)), interval_(interval) {
  look();
  thread_ = std::thread([this] { keep_looking(); });
}

device_recorder::~device_recorder() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_changed_.notify_all();
  thread_.join();
}

device_readings device_recorder::latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

void device_recorder::begin() {
  const std::lock_guard lock(mutex_);
  first_.reset();
  last_.reset();
}

std::optional<device_recorder::energy_use> device_recorder::energy_since_begin() const {
  const std::lock_guard lock(mutex_);
  if (!first_ || !last_ || last_->time - first_->time < shortest_window) return std::nullopt;
  return energy_use{.mj = last_->mj - first_->mj,
                    .window_ms = std::chrono::duration<double, std::milli>(last_->time - first_->time).count()};
}

void device_recorder::look() {
  // Read without holding the lock, so that no thread waits for the device.
  const clock::time_point before = clock::now();
  const std::optional<double> energy = monitor_->energy_mj();
  const clock::time_point after = clock::now();
  device_readings now = monitor_->read();
  const std::lock_guard lock(mutex_);
  latest_ = std::move(now);
  if (!energy) return;
  last_ = energy_look{.time = before + (after - before) / 2, .mj = *energy};
  if (!first_) first_ = last_;
}

void device_recorder::keep_looking() {
  std::unique_lock lock(mutex_);
  while (!stop_changed_.wait_for(lock, interval_, [this] { return stopping_; })) {
    lock.unlock();
    look();
    lock.lock();
  }
}

std::unique_ptr<device_recorder> record_device(const device_info& device) {
  std::unique_ptr<device_monitor> monitor = open_monitor(device);
  return monitor ? std::make_unique<device_recorder>(std::move(monitor)) : nullptr;
}

}  // namespace mlmq::backends
