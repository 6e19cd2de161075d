// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "problems/compare/comparison.hpp"
#include "problems/compare/contestants.hpp"
#include "problems/compare/record.hpp"
#include "tuner/problem.hpp"

namespace mlmq::compare {

/// The code that requested the comparison: receives progress and may stop it.
class caller {
 public:
  explicit caller(const comparison_options& options) : options_(options) {}

  /// Calls the stop callback until it first returns true, and remembers that.
  [[nodiscard]] bool wants_stop() {
    if (options_.stop_requested && options_.stop_requested()) stopped_ = true;
    return stopped_;
  }
  /// Returns whether wants_stop() has returned true.
  [[nodiscard]] bool has_stopped() const noexcept { return stopped_; }

  /// Begins one of `total` equal parts of the comparison, counted from 0.
  void begin_part(std::size_t index, std::size_t total) {
    part_begin_ = static_cast<double>(index) / static_cast<double>(total);
    part_size_ = 1 / static_cast<double>(total);
  }
  /// @param part_done  share of the part that is done, 0 to 1
  void report_progress(const std::string& progress, double part_done = 0) const {
    if (options_.on_progress) options_.on_progress(part_begin_ + part_done * part_size_, progress);
  }

 private:
  const comparison_options& options_;
  bool stopped_ = false;
  double part_begin_ = 0;
  double part_size_ = 0;
};

/// State that all parts of a comparison share, on every device.
struct context {
  const tuner::problem& problem;
  const comparison_options& options;
  const compare::contestants& contestants;
  compare::record& record;
  compare::caller& caller;
  std::vector<std::string>& notes;  ///< what was left out, and why
};

}  // namespace mlmq::compare
