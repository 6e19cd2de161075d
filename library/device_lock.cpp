// SPDX-License-Identifier: Apache-2.0
#include "library/device_lock.hpp"

#include <fmt/format.h>

#include <exception>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace mlmq::detail {
namespace {

void enter(device_data& device) noexcept {
  try {
    device.backend->enter();
  } catch (const std::exception&) {
    // The device is lost; its resources are freed with the process.
  }
}

}  // namespace

void free_on(device_data& device, const std::function<void()>& release) noexcept {
  const device_lock lock(device, device_lock::may_nest{});
  enter(device);
  release();
}

void free_memory(device_data& device, backends::device_memory memory) noexcept {
  if (device.user.load() == std::this_thread::get_id()) {
    device.discarded.push_back(std::move(memory));
    return;
  }
  free_on(device, [&] { memory = backends::device_memory(); });
}

void device_lock::take() noexcept {
  device_.queue->is_busy = true;
  device_.user = std::this_thread::get_id();
  owns_ = true;
}

void device_lock::wait_unstoppably() noexcept {
  std::unique_lock waiting(device_.queue->mutex);
  device_.queue->idle.wait(waiting, [this] { return !device_.queue->is_busy; });
  take();
}

void device_lock::lock() {
  if (owns_) {
    device_.user = std::this_thread::get_id();
    return;
  }
  std::unique_lock waiting(device_.queue->mutex);
  if (!device_.queue->idle.wait(waiting, stop_token_of_thread(), [this] { return !device_.queue->is_busy; })) {
    throw stopped_error();
  }
  take();
}

device_lock::device_lock(device_data& device) : device_(device) {
  if (device.is_inherited()) {
    throw work_error(
        fmt::format("{} was opened before this process was forked, and a fork does not copy threads: open the "
                    "device in this process and create new solvers with it",
                    device.facts.selector));
  }
  if (device.user.load() == std::this_thread::get_id()) {
    throw work_error(device.facts.selector + " is already in use by an unfinished call on this thread");
  }
  lock();
}

device_lock::device_lock(device_data& device, may_nest) noexcept : device_(device) {
  if (!device.is_inherited() && device.user.load() != std::this_thread::get_id()) wait_unstoppably();
}

device_lock::~device_lock() { unlock(); }

void device_lock::unlock() noexcept {
  if (!owns_) return;
  if (!device_.discarded.empty()) {
    enter(device_);
    device_.discarded.clear();
  }
  owns_ = false;
  device_.user = std::thread::id();
  {
    const std::lock_guard held(device_.queue->mutex);
    device_.queue->is_busy = false;
  }
  device_.queue->idle.notify_one();
}

}  // namespace mlmq::detail
