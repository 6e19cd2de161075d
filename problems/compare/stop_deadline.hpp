// SPDX-License-Identifier: Apache-2.0
// Limits how long a run continues after the caller has requested a stop.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "backends/backend.hpp"
#include "problems/compare/options.hpp"

namespace mlmq::compare {

/// During its lifetime: interrupts the device comparison_options::grace_s seconds after a stop request.
class stop_deadline {
 public:
  /// @param device, options  must outlive this
  stop_deadline(backends::backend& device, const comparison_options& options);
  stop_deadline(const stop_deadline&) = delete;
  stop_deadline& operator=(const stop_deadline&) = delete;
  ~stop_deadline();

 private:
  void watch();

  backends::backend& device_;
  const comparison_options& options_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;  // last, because it uses the other members
};

}  // namespace mlmq::compare
