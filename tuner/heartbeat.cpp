// SPDX-License-Identifier: Apache-2.0
#include "tuner/heartbeat.hpp"

namespace mlmq::tuner {

heartbeat::heartbeat(worker_link& link, std::chrono::milliseconds interval)
    : link_(link), interval_(interval), thread_([this] { beat(); }) {}

heartbeat::~heartbeat() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void heartbeat::watch(const backends::backend* device) {
  const std::lock_guard lock(mutex_);
  device_ = device;
}

void heartbeat::beat() {
  std::unique_lock lock(mutex_);
  do {
    link_.send({.type = worker_event::kind::beat, .progress = device_ == nullptr ? 0 : device_->progress()});
  } while (!ended_.wait_for(lock, interval_, [this] { return ending_; }));
}

}  // namespace mlmq::tuner
