// SPDX-License-Identifier: Apache-2.0
// Exclusive use of a device, and freeing of its memory by any thread.
#pragma once

#include <functional>
#include <thread>

#include "backends/backend.hpp"
#include "library/device_data.hpp"

namespace mlmq::detail {

/// Exclusive use of a device by one call. Callbacks during the call may drop handles, but may use the device only while
/// it is unlocked.
class device_lock {
 public:
  /// Waits until no other call uses the device.
  ///
  /// @throws work_error  if this thread is using the device already, or if the device was opened before a fork
  /// @throws stopped_error
  explicit device_lock(device_data& device);
  struct may_nest {};
  /// For destructors: does nothing if this thread is already using the device.
  device_lock(device_data& device, may_nest) noexcept;
  device_lock(const device_lock&) = delete;
  device_lock& operator=(const device_lock&) = delete;
  ~device_lock();

  /// Releases the device to other calls. Must be called by the thread that locked the device or adopted the lock.
  void unlock() noexcept;
  /// Waits for the device again, unless the lock still owns it. @throws stopped_error
  void lock();
  /// Makes another thread the user of the locked device; `std::thread::id()` means no thread.
  void pass_to(std::thread::id user) noexcept { device_.user = user; }

 private:
  void wait_unstoppably() noexcept;
  void take() noexcept;

  device_data& device_;
  bool owns_ = false;
};

/// For destructors: calls `release`, which must not throw, with the device locked and entered.
void free_on(device_data& device, const std::function<void()>& release) noexcept;

/// Frees memory of the device: now, or at the end of this thread's current call if that call is using the device.
void free_memory(device_data& device, backends::device_memory memory) noexcept;

}  // namespace mlmq::detail
