// SPDX-License-Identifier: Apache-2.0
// Implementation of the handle mlmq::device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "backends/backend.hpp"
#include "library/processors.hpp"
#include "mlmq/device.hpp"
#include "problems/searches/plan.hpp"

namespace mlmq::detail {

/// Lets calls that need the same device wait for each other.
struct device_queue {
  std::mutex mutex;
  std::condition_variable_any idle;
  bool is_busy = false;
};

struct device_data {
  explicit device_data(std::unique_ptr<backends::backend> opened);
  device_data(const device_data&) = delete;
  device_data& operator=(const device_data&) = delete;
  ~device_data();

  /// Returns whether this process was forked from the one that opened the device. The threads and the context of the
  /// backend do not exist here.
  [[nodiscard]] bool is_inherited() const noexcept;

  /// Serialises calls on the device and all its solvers; see device_lock.
  std::unique_ptr<device_queue> queue = std::make_unique<device_queue>();
  std::atomic<std::thread::id> user;  ///< thread that has locked the device
  int process_id;                     ///< id of the process that opened the device
  std::unique_ptr<backends::backend> backend;
  std::vector<backends::device_memory> discarded;  ///< memory that `user` frees at the end of its call
  device_facts facts;
  problems::transfer_cost transfer;

  /// This machine's processors in addition to a GPU, opened when a search first considers them.
  std::optional<processors> host;
};

/// Several devices behind one handle.
struct device_group {
  std::vector<std::shared_ptr<device_data>> members;
  device_facts facts;
};

/// Returns the device of a handle. @throws input_error for several devices, naming the `user` that runs on one only
[[nodiscard]] std::shared_ptr<device_data> single_device(const device& handle, std::string_view user);

}  // namespace mlmq::detail
