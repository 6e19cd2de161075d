// SPDX-License-Identifier: Apache-2.0
// When a graph that is searched again and again is split into parts by itself.
#pragma once

#include <functional>
#include <utility>

namespace mlmq::detail {

/// Searches on parts are faster on most graphs that suit them, but splitting takes as long as many searches. So the graph is
/// split once its searches have taken as long as that: all in all, never more than about twice the time of the better choice.
/// Parts are given up where the first searches on them are no faster. Of one graph and device. Not thread-safe.
class part_adoption {
 public:
  /// @param split_ms how long splitting is expected to take @param suits whether the graph suits it; asked once, when it matters
  part_adoption(double split_ms, std::function<bool()> suits) : split_ms_(split_ms), suits_(std::move(suits)) {}

  /// A search on the device has ended. @param in_parts whether it was on parts @param ms time of the search alone
  void note(bool in_parts, double ms);
  /// Whether the next search should be on parts.
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
  std::function<bool()> suits_;
  series on_graph_;
  series on_parts_;
  bool is_due_ = false;
  bool is_decided_ = false;  ///< it stays as it is
};

}  // namespace mlmq::detail
