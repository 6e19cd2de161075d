// SPDX-License-Identifier: Apache-2.0
// An absent level: writes go directly to the level below, and a read finds nothing.
#pragma once

#include "simt/simt.cuh"

namespace mlmq {

/// @tparam Traits order::element
template <class Traits, class Counters>
class no_queue {
 public:
  using element = typename Traits::order::element;

  static constexpr bool is_shared = false;
  static constexpr bool supports_runs = false;
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

template <class Traits, class Counters>
using l0_none = no_queue<Traits, Counters>;

template <class Traits, class Counters>
using l1_none = no_queue<Traits, Counters>;

}  // namespace mlmq
