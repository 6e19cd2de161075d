// SPDX-License-Identifier: Apache-2.0
// How calendars cut virtual time into buckets: a whole number of them to a window as long as the lookahead.
#pragma once

#include <cstdint>

#include "problems/phold/phold_workload.hpp"

namespace mlmq::phold {

/// Bucket of a time in ticks: ((time >> time_shift) · factor) >> 32, for times that are at most `end` or so; all later ones
/// count as one late time. An event's bucket and that of an event it creates are at least buckets_per_window apart.
struct bucket_clock {
  std::uint32_t time_shift = 0;
  std::uint32_t factor = 0;
  std::uint32_t buckets_per_window = 1;  ///< a power of two

  /// @param end in ticks @param parts buckets_per_window
  /// @return a clock, or one with factor 0: the run has too many windows
  static bucket_clock make(std::uint64_t lookahead, std::uint64_t end, std::uint32_t parts);

  [[nodiscard]] std::uint32_t bucket_of(std::uint64_t time) const {
    const std::uint64_t shortened = time >> time_shift;
    constexpr std::uint64_t most = 0xFFFFFFFFu;
    return static_cast<std::uint32_t>((shortened < most ? shortened : most) * factor >> 32U);
  }
  /// Windows until the end, in ticks, which is above 0.
  [[nodiscard]] std::uint32_t windows(std::uint64_t end) const { return bucket_of(end - 1) / buckets_per_window + 1; }
};

/// Most events of one entity, on average over entities, in any span of virtual time of this length.
[[nodiscard]] double densest(const model_settings& settings, double span);

/// Buckets of a ring, a power of two from 2 · parts on, beyond which next to nothing lies.
/// @param width of a bucket in units of virtual time @param most about so many buckets at most
[[nodiscard]] std::uint32_t ring_buckets(const model_settings& settings, double width, std::uint32_t parts,
                                         std::uint64_t most);

}  // namespace mlmq::phold
