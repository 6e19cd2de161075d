// SPDX-License-Identifier: Apache-2.0
// Layout of the arcs of a partitioned graph.
#pragma once

#include <compare>

namespace mlmq::problems {

/// Storage of arcs.
enum class arc_layout {
  registers,     ///< 8 bytes each
  shared,        ///< 4 bytes each, in shared memory
  groups,        ///< like `shared`, for places in groups (kernels/partitioned/partitioned_abi.cuh)
  pulled_groups  ///< like `groups`, but an arc within a group is stored at its target, if there is room
};

inline constexpr unsigned default_hub_degree = 4096;

/// Layout of the arcs of a part.
struct part_shape {
  unsigned slot_arcs = 0;  ///< at least 1; in groups at least 2
  arc_layout layout = arc_layout::registers;
  /// Longer rows are spread over the parts of their targets (hub_rows.hpp).
  unsigned hub_degree = default_hub_degree;

  [[nodiscard]] bool is_packed() const { return layout != arc_layout::registers; }
  [[nodiscard]] bool has_groups() const { return layout == arc_layout::groups || layout == arc_layout::pulled_groups; }

  friend auto operator<=>(const part_shape&, const part_shape&) = default;
};

}  // namespace mlmq::problems
