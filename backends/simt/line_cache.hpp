// SPDX-License-Identifier: Apache-2.0
// First-level cache of a multiprocessor for read-only data: 128 KiB in lines of 128 bytes, direct-mapped.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "backends/simt/cost_model.hpp"

namespace mlmq::backends::simulator {

class line_cache {
 public:
  void reset() { lines_.fill({}); }

  /// Returns the duration of a load of `offset` that begins at `now`. A load of a line that is already being loaded
  /// waits for that line.
  ticks load(std::uint64_t offset, ticks now) {
    const std::uint64_t number = offset / 128 + 1;
    line& l = lines_[number % lines_.size()];
    if (l.number == number) return std::max(cost::l1_hit, l.ready > now ? l.ready - now : 0);
    l = {number, now + cost::global_load};
    return cost::global_load;
  }

 private:
  struct line {
    std::uint64_t number = 0;  // 0: empty
    ticks ready = 0;
  };
  std::array<line, 1024> lines_{};
};

}  // namespace mlmq::backends::simulator
