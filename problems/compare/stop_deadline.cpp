// SPDX-License-Identifier: Apache-2.0
#include "problems/compare/stop_deadline.hpp"

#include <chrono>
#include <optional>

namespace mlmq::compare {

stop_deadline::stop_deadline(backends::backend& device, const comparison_options& options)
    : device_(device), options_(options) {
  if (options.stop_requested) thread_ = std::thread([this] { watch(); });
}

stop_deadline::~stop_deadline() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void stop_deadline::watch() {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds interval{50};
  std::optional<clock::time_point> stop_time;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, interval, [this] { return has_ended_; })) {
    if (!stop_time && options_.stop_requested()) stop_time = clock::now();
    if (!stop_time || std::chrono::duration<double>(clock::now() - *stop_time).count() < options_.grace_s) continue;
    device_.interrupt();
    return;
  }
}

}  // namespace mlmq::compare
