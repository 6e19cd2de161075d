// SPDX-License-Identifier: Apache-2.0
// Models contention: operations on one address are served one after the other, so that a lane may have to wait.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "backends/simt/cost_model.hpp"

namespace mlmq::backends::simulator {

/// A direct-mapped table of the busy addresses. When an address displaces another one, the displaced address counts as
/// idle.
class contention_table {
 public:
  void reset() { slots_.fill({}); }

  /// Returns the time at which the operation begins.
  ticks serve(std::uint64_t word, ticks now, ticks service) {
    slot& s = find(word);
    const ticks begin = std::max(now, s.free);
    s.free = begin + service;
    s.convoy = 0;
    return begin;
  }
  /// Returns the time at which a load begins. Loads that the lanes of a warp issue together are one transaction.
  /// @param convoy  number of the group of loads that are issued together; not 0
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
