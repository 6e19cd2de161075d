// SPDX-License-Identifier: Apache-2.0
// A run that has begun when the caller stops a comparison may go on for so long and no longer.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "backends/backend.hpp"
#include "compare/options.hpp"

namespace mlmq::compare {

/// For its lifetime: interrupts the device comparison_options::grace_s after the caller has asked to stop.
class patience {
 public:
  /// @param device, options must outlive this
  patience(backends::backend& device, const comparison_options& options);
  patience(const patience&) = delete;
  patience& operator=(const patience&) = delete;
  ~patience();

 private:
  void watch();

  backends::backend& device_;
  const comparison_options& options_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace mlmq::compare
