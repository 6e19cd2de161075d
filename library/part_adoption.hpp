// SPDX-License-Identifier: Apache-2.0
// Decides when a graph that is searched repeatedly is split into parts automatically.
#pragma once

#include <functional>
#include <utility>

namespace mlmq::detail {

/// Partitioned searches are faster on most graphs, but splitting takes as long as many searches. The graph is therefore
/// split once its searches have taken as long as splitting: then the total time is at most about twice that of the
/// better choice, whatever the searches take and however many follow. The parts are abandoned if the first searches on
/// them are not faster. For one graph and device. Not thread-safe.
class part_adoption {
 public:
  /// @param split_ms  expected duration of splitting
  /// @param fits  returns whether the device can hold the graph in parts; called once, when needed
  part_adoption(double split_ms, std::function<bool()> fits) : split_ms_(split_ms), fits_(std::move(fits)) {}

  /// Records a finished search on the device. @param in_parts  whether it was partitioned @param ms  time of the search
  /// alone
  void note(bool in_parts, double ms);
  /// Returns whether the next search should be partitioned.
  [[nodiscard]] bool is_due() const { return is_due_; }

 private:
  struct series {
    double total_ms = 0;
    double searches = 0;

    void add(double ms) {
      total_ms += ms;
      ++searches;
    }
    [[nodiscard]] double mean() const { return total_ms / searches; }
  };

  double split_ms_;
  std::function<bool()> fits_;
  series on_graph_;
  series on_parts_;
  bool is_due_ = false;
  bool is_decided_ = false;  ///< the decision is final
};

}  // namespace mlmq::detail
