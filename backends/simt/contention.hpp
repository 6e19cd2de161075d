// SPDX-License-Identifier: Apache-2.0
// One address serves one operation after the other: how long a lane waits for its turn.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "backends/simt/cost_model.hpp"

namespace mlmq::backends::simulator {

/// A direct-mapped table: an address that was displaced by another starts again as idle.
class contention_table {
 public:
  void reset() { slots_.fill({}); }

  /// @return when the operation begins
  ticks serve(std::uint64_t word, ticks now, ticks service) {
    slot& s = find(word);
    const ticks begin = std::max(now, s.free);
    s.free = begin + service;
    s.convoy = 0;
    return begin;
  }
  /// The loads that the lanes of a warp do together are one transaction.
  /// @param convoy the same for loads that go together; not 0
  ticks serve_load(std::uint64_t word, ticks now, ticks service, std::uint64_t convoy) {
    slot& s = find(word);
    const ticks begin = std::max(now, s.free);
    if (s.convoy == convoy) return std::max(now, s.free - std::min(s.free, service));
    s.free = begin + service;
    s.convoy = convoy;
    return begin;
  }

 private:
  struct slot {
    std::uint64_t word = 0;
    ticks free = 0;
    std::uint64_t convoy = 0;
  };
  slot& find(std::uint64_t word) {
    slot& s = slots_[(word ^ word >> 12) % slots_.size()];
    if (s.word != word) s = {.word = word};
    return s;
  }
  std::array<slot, 4096> slots_{};
};

}  // namespace mlmq::backends::simulator
