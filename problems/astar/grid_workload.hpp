// SPDX-License-Identifier: Apache-2.0
// Grid maps as workloads.
#pragma once

#include <utility>

#include "problems/astar/grid.hpp"
#include "tuner/workload.hpp"

namespace mlmq::astar {

struct grid_workload final : tuner::workload {
  explicit grid_workload(grid loaded) : map(std::move(loaded)) {}

  grid map;
};

/// The kind "grid": what generate.hpp makes of a text, or a file *.map or *.map.gz. The option `corners` is cut or none;
/// cut is standard for what is generated, none for files.
[[nodiscard]] const tuner::workload_kind& grid_kind();

/// A workload of this kind. @throws std::bad_cast for one of another
[[nodiscard]] const grid_workload& grid_of(const tuner::workload& on);

}  // namespace mlmq::astar
