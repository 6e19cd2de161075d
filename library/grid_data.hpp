// SPDX-License-Identifier: Apache-2.0
// Implementation of the handle mlmq::grid.
#pragma once

#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "mlmq/grid.hpp"
#include "problems/astar/grid_workload.hpp"

namespace mlmq::detail {

struct grid_data {
  explicit grid_data(astar::grid_workload loaded) : workload(std::move(loaded)) {}

  astar::grid_workload workload;

  /// Returns a feature, or NaN for an unknown name. The first call computes the features of a map that was built from
  /// memory.
  [[nodiscard]] double feature(std::string_view name) const;

 private:
  mutable std::once_flag computed_;
  mutable std::vector<std::pair<std::string, double>> features_;
};

[[nodiscard]] inline cell cell_of(const astar::grid& map, std::uint32_t number) {
  return {.x = map.column(number), .y = map.row(number)};
}

}  // namespace mlmq::detail
