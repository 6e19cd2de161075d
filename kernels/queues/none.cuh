// SPDX-License-Identifier: Apache-2.0
// An absent level: what is written goes to the level below at once, a read finds nothing.
#pragma once

#include "queues/element.cuh"

namespace mlmq {

template <class Configuration, class Counters>
class no_queue {
 public:
  static constexpr bool is_shared = false;
  static constexpr bool gives_runs = false;
  static constexpr bool is_absent = true;
  static constexpr u32 ring_size = 0;
  static constexpr u32 storage = 0;

  template <class... Anything>
  SIMT_DEVICE explicit no_queue(Anything&&...) {}

  SIMT_DEVICE bool read(element&, bool&) { return false; }

  template <class Lower>
  SIMT_DEVICE void write(element e, bool valid, Lower& lower) {
    lower.write(e, valid);
  }
};

template <class Configuration, class Counters>
using l0_none = no_queue<Configuration, Counters>;

template <class Configuration, class Counters>
using l1_none = no_queue<Configuration, Counters>;

}  // namespace mlmq
