// SPDX-License-Identifier: Apache-2.0
// Decides when a graph that is searched repeatedly is prepared for faster searches.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace mlmq::detail {

/// Searches of a prepared graph, such as one in parts, are faster on most graphs, but preparing takes as long as many
/// searches. A preparation is therefore made once the searches have taken as long as it takes: then the total time is
/// at most about twice that of the better choice, whatever the searches take and however many follow. A preparation is
/// abandoned if the first searches on it are not faster. Of several preparations the cheapest one is considered first,
/// and the next one when it has been kept or abandoned and the searches have also taken as long as both. For one graph
/// and device. Not thread-safe.
class preparation_adoption {
 public:
  struct preparation {
    /// Returns the milliseconds that preparing is expected to take; nothing if the graph is not suitable, or if no
    /// faster searches are expected than the present ones. Called when the searches have taken `least_ms`, and before
    /// the preparation is made.
    /// @param search_ms  typical time of the fastest searches so far
    std::function<std::optional<double>(double search_ms)> expected_ms;
    double least_ms = 0;
    std::optional<std::size_t> after = std::nullopt;  ///< the preparation that must have been kept or abandoned before
  };

  explicit preparation_adoption(std::vector<preparation> preparations);

  /// Records a finished search on the device.
  /// @param used  indices of the preparations that it used
  /// @param ms    time of the search alone
  void note(std::span<const std::size_t> used, double ms);
  /// Considers other preparations until the first search with this one, whose kernels are being compiled.
  void postpone(std::size_t index);
  /// Takes over the first preparation, which has been paid for with other weights. Before the first note().
  void keep(std::size_t index);
  /// Abandons a preparation that failed.
  void give_up(std::size_t index);
  /// Returns whether the next search should use a preparation. Of several, the last one is the fastest.
  [[nodiscard]] bool is_due(std::size_t index) const { return entries_[index].is_due; }

 private:
  /// The last times of searches. Medians, because the first search with a kernel takes longer, and sources may reach
  /// little.
  struct series {
    std::deque<double> times_ms;

    void add(double ms);
    /// Returns infinity without searches.
    [[nodiscard]] double median() const;
  };
  struct entry {
    preparation means;
    std::optional<double> cost_ms = std::nullopt;  ///< expected; nothing: not yet asked
    series times = {};
    bool is_due = false;
    bool is_decided = false;  ///< whether it has been kept or abandoned
    bool is_waiting = false;  ///< see postpone()
  };

  /// Returns the typical time of the fastest searches, without those of a preparation.
  [[nodiscard]] double fastest_without(std::optional<std::size_t> index) const;
  /// Returns the index of the preparation that decides the time of a search; nothing: it used none.
  [[nodiscard]] std::optional<std::size_t> decisive_of(std::span<const std::size_t> used) const;
  void decide_trial();
  void consider_next();

  series unprepared_;
  std::vector<entry> entries_;
  std::vector<std::size_t> adopted_;  ///< the last one last
  std::optional<std::size_t> on_trial_;
  double searched_ms_ = 0;  ///< time of the searches, without those of preparations that only the caller requested
  double prepared_ms_ = 0;  ///< expected time of the preparations so far
};

}  // namespace mlmq::detail
