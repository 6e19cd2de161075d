// SPDX-License-Identifier: Apache-2.0
// What is behind mlmq::grid.
#pragma once

#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "mlmq/grid.hpp"
#include "problems/astar/grid_workload.hpp"

namespace mlmq::detail {

struct grid_data {
  explicit grid_data(astar::grid_workload known) : workload(std::move(known)) {}

  astar::grid_workload workload;

  /// NaN for a name that is unknown. The first call computes those of a map from memory.
  [[nodiscard]] double feature(std::string_view name) const;

 private:
  mutable std::once_flag computed_;
  mutable std::vector<std::pair<std::string, double>> features_;
};

[[nodiscard]] inline cell cell_of(const astar::grid& map, std::uint32_t number) {
  return {.x = map.column(number), .y = map.row(number)};
}

}  // namespace mlmq::detail
