// SPDX-License-Identifier: Apache-2.0
// Division of virtual time into buckets for calendars. A window, which is as long as the lookahead, is a whole number
// of buckets.
#pragma once

#include <cstdint>

#include "problems/phold/phold_workload.hpp"

namespace mlmq::phold {

/// Maps a time in ticks to a bucket: ((time >> time_shift) · factor) >> 32, for times up to about `end`; all later
/// times count as one late time. The buckets of an event and of an event that it creates are at least
/// buckets_per_window apart.
struct bucket_clock {
  std::uint32_t time_shift = 0;
  std::uint32_t factor = 0;
  std::uint32_t buckets_per_window = 1;  ///< a power of two

  /// Makes a clock.
  /// @param end in ticks
  /// @param parts buckets_per_window
  /// @return a clock; one with factor 0 if the run has too many windows
  static bucket_clock make(std::uint64_t lookahead, std::uint64_t end, std::uint32_t parts);

  [[nodiscard]] std::uint32_t bucket_of(std::uint64_t time) const {
    const std::uint64_t shortened = time >> time_shift;
    constexpr std::uint64_t most = 0xFFFFFFFFu;
    return static_cast<std::uint32_t>((shortened < most ? shortened : most) * factor >> 32U);
  }
  /// Returns the number of windows until the end, which is in ticks and positive.
  [[nodiscard]] std::uint32_t windows(std::uint64_t end) const { return bucket_of(end - 1) / buckets_per_window + 1; }
};

/// Returns the maximum number of events per entity, averaged over entities, in any span of virtual time of this length.
[[nodiscard]] double densest(const model_settings& settings, double span);

/// Returns the buckets of a ring, a power of two of at least 2 · parts, that hold nearly all events.
/// @param width width of a bucket, in units of virtual time
/// @param most approximate maximum number of buckets
[[nodiscard]] std::uint32_t ring_buckets(const model_settings& settings, double width, std::uint32_t parts,
                                         std::uint64_t most);

}  // namespace mlmq::phold
