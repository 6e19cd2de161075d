// SPDX-License-Identifier: Apache-2.0
// A worker's signs of life. A beat comes from a thread of its own: it proves that the process runs and that its link to the
// supervisor works, whatever the main thread is busy with. It carries how far the device is in a run that has no limit in
// wall time, so that the supervisor tells a long run from one that is stuck.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "backends/backend.hpp"
#include "tuner/worker_link.hpp"

namespace mlmq::tuner {

class heartbeat {
 public:
  /// Beats at once and then every `interval`. @param link must allow calls of tell() by several threads, and outlive this
  heartbeat(worker_link& link, std::chrono::milliseconds interval);
  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;
  ~heartbeat();

  /// Beats tell the device's progress() from now on. @param device null: of none; must not end while it is watched
  void watch(const backends::backend* device);

 private:
  void beat();

  worker_link& link_;
  std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  const backends::backend* device_ = nullptr;
  std::thread thread_;
};

}  // namespace mlmq::tuner
