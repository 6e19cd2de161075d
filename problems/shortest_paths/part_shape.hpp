// SPDX-License-Identifier: Apache-2.0
// How the arcs of a graph in parts lie.
#pragma once

#include <compare>

namespace mlmq::problems {

/// Where arcs lie.
enum class arc_layout {
  registers,     ///< 8 bytes each
  shared,        ///< 4 bytes each, in shared memory
  groups,        ///< the same, for places in groups (kernels/partitioned/partitioned_abi.cuh)
  pulled_groups  ///< the same, and an arc within a group lies at its target, where there is room
};

/// How arcs lie in a part.
struct part_shape {
  unsigned slot_arcs = 0;  ///< at least 1, in groups at least 2
  arc_layout layout = arc_layout::registers;

  [[nodiscard]] bool is_packed() const { return layout != arc_layout::registers; }
  [[nodiscard]] bool has_groups() const { return layout == arc_layout::groups || layout == arc_layout::pulled_groups; }

  friend auto operator<=>(const part_shape&, const part_shape&) = default;
};

}  // namespace mlmq::problems
