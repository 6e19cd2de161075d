// SPDX-License-Identifier: Apache-2.0
#include "library/part_adoption.hpp"

namespace mlmq::detail {
namespace {

/// From so many sources, before it is known what parts are worth.
constexpr double trials = 5;

}  // namespace

void part_adoption::note(bool in_parts, double ms) {
  if (is_decided_) return;
  if (in_parts) {
    // Those that were asked for before it was due have split the graph already, but nothing is known of others.
    on_parts_.add(ms);
  } else {
    on_graph_.add(ms);
  }
  if (!is_due_) {
    if (on_graph_.total_ms < split_ms_) return;
    is_due_ = suits_();
    is_decided_ = !is_due_;
    return;
  }
  if (on_parts_.searches < trials) return;
  is_decided_ = true;
  is_due_ = on_parts_.mean() < on_graph_.mean();
}

}  // namespace mlmq::detail
