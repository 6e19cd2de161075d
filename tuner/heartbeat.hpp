// SPDX-License-Identifier: Apache-2.0
// Heartbeat of a worker. A separate thread sends the beats: they prove that the process runs and that its link to the
// supervisor works, even if the main thread is busy. A beat carries the progress of a run without a wall-time limit, so
// that the supervisor can distinguish a long run from a stuck one.
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
  /// Sends a beat immediately and then every `interval`. @param link must outlive the heartbeat and have a thread-safe
  /// send()
  heartbeat(worker_link& link, std::chrono::milliseconds interval);
  heartbeat(const heartbeat&) = delete;
  heartbeat& operator=(const heartbeat&) = delete;
  ~heartbeat();

  /// Selects the device whose progress() the beats report. @param device null: none; must outlive the watch
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
