// SPDX-License-Identifier: Apache-2.0
// Decides when a graph that is searched repeatedly is prepared for faster searches.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace mlmq::detail {

/// Searches of a prepared graph, such as one in parts, are faster on most graphs, but preparing takes as long as many
/// searches. A preparation is therefore made once the searches have taken as long as it takes: then the total time is
/// at most about twice that of the better choice, whatever the searches take and however many follow. A preparation is
/// abandoned if the first searches on it are not faster. With several preparations, a later one is considered when the
/// one before has been kept or abandoned, and the searches have also taken as long as both. For one graph and device.
/// Not thread-safe.
class preparation_adoption {
 public:
  struct preparation {
    /// Returns the milliseconds that preparing is expected to take; nothing if the graph is not suitable, or if no
    /// faster searches are expected than the present ones. Called once, when the searches have taken `least_ms`.
    /// @param search_ms  mean time of the fastest searches so far
    std::function<std::optional<double>(double search_ms)> expected_ms;
    double least_ms = 0;
  };

  explicit preparation_adoption(std::vector<preparation> preparations);

  /// Records a finished search on the device.
  /// @param used  index of the preparation that it used; nothing: none
  /// @param ms    time of the search alone
  void note(std::optional<std::size_t> used, double ms);
  /// Takes over the first preparation, which has been paid for with other weights. Before the first note().
  void keep(std::size_t index);
  /// Abandons a preparation that failed.
  void give_up(std::size_t index);
  /// Returns whether the next search should use a preparation. Of several, the last one is the fastest.
  [[nodiscard]] bool is_due(std::size_t index) const { return entries_[index].is_due; }

 private:
  struct series {
    double total_ms = 0;
    double searches = 0;

    /// Returns the mean time; infinity without searches.
    [[nodiscard]] double mean() const {
      return searches > 0 ? total_ms / searches : std::numeric_limits<double>::infinity();
    }
  };
  struct entry {
    preparation means;
    std::optional<double> cost_ms = std::nullopt;  ///< expected; nothing: not yet asked
    series times = {};
    bool is_due = false;
  };

  /// Returns the mean time of the fastest searches, without those of a preparation.
  [[nodiscard]] double fastest_without(std::optional<std::size_t> index) const;
  void consider_next();

  series unprepared_;
  std::vector<entry> entries_;
  std::size_t next_ = 0;  ///< the preparation to be considered, or on trial
  bool is_on_trial_ = false;
  double searched_ms_ = 0;  ///< time of the searches, without those of preparations that only the caller requested
  double prepared_ms_ = 0;  ///< expected time of the preparations so far
};

}  // namespace mlmq::detail
