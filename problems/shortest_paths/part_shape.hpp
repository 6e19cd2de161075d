// SPDX-License-Identifier: Apache-2.0
// How the arcs of a graph in parts lie.
#pragma once

#include <compare>

namespace mlmq::problems {

/// How arcs lie in a part.
struct part_shape {
  unsigned slot_arcs = 0;  ///< at least 1
  bool packed = false;     ///< in 4 bytes each, for shared memory; else in 8, for registers

  friend auto operator<=>(const part_shape&, const part_shape&) = default;
};

}  // namespace mlmq::problems
