// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "compare/options.hpp"

namespace mlmq::compare {

/// Whoever asked for the comparison: is told what happens, and may stop it.
class caller {
 public:
  explicit caller(const comparison_options& options) : options_(options) {}

  /// Asks. Who has said yes is not asked again.
  [[nodiscard]] bool wants_stop() {
    if (options_.stop_requested && options_.stop_requested()) stopped_ = true;
    return stopped_;
  }
  /// Whether the answer has been yes.
  [[nodiscard]] bool has_stopped() const noexcept { return stopped_; }

  void tell(const std::string& progress) const {
    if (options_.on_progress) options_.on_progress(progress);
  }

 private:
  const comparison_options& options_;
  bool stopped_ = false;
};

}  // namespace mlmq::compare
