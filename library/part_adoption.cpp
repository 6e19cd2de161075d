// SPDX-License-Identifier: Apache-2.0
#include "library/part_adoption.hpp"

namespace mlmq::detail {
namespace {

/// Number of partitioned searches to time before deciding whether to keep the parts.
constexpr double trials = 5;

}  // namespace

void part_adoption::note(bool in_parts, double ms) {
  if (is_decided_) return;
  if (in_parts) {
    // Partitioned searches before is_due() were requested by the caller, who has paid for splitting; they say nothing
    // about unpartitioned ones.
    on_parts_.add(ms);
  } else {
    on_graph_.add(ms);
  }
  if (!is_due_) {
    if (on_graph_.total_ms < split_ms_) return;
    is_due_ = fits_();
    is_decided_ = !is_due_;
    return;
  }
  if (on_parts_.searches < trials) return;
  is_decided_ = true;
  is_due_ = on_parts_.mean() < on_graph_.mean();
}

}  // namespace mlmq::detail
