// SPDX-License-Identifier: Apache-2.0
#include "compare/patience.hpp"

#include <chrono>
#include <optional>

namespace mlmq::compare {

patience::patience(backends::backend& device, const comparison_options& options) : device_(device), options_(options) {
  if (options.stop_requested) thread_ = std::thread([this] { watch(); });
}

patience::~patience() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void patience::watch() {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds interval{50};
  std::optional<clock::time_point> asked;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, interval, [this] { return has_ended_; })) {
    if (!asked && options_.stop_requested()) asked = clock::now();
    if (!asked || std::chrono::duration<double>(clock::now() - *asked).count() < options_.grace_s) continue;
    device_.interrupt();
    return;
  }
}

}  // namespace mlmq::compare
