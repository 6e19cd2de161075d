// SPDX-License-Identifier: Apache-2.0
// Which workloads are variants of each other: to have seen one is to know the other, so they are never on two sides of a
// split.
#pragma once

#include <string>
#include <string_view>

namespace mlmq::selector {

enum class grouping {
  workload,  ///< one structure with other weights, queries, seeds or options
  family,  ///< besides, all sizes of one generator or numbered series: road12 and road22, delaunay_n18 and delaunay_n24
};

/// "workload" or "family". @throws input_error on anything else
[[nodiscard]] grouping grouping_from(std::string_view name);

/// The group of a recorded workload, from its name: "power14:degree=8:seed=3" is of the workload "power14" and of the family
/// "power"; "usroads-float" of the workload and the family "usroads".
[[nodiscard]] std::string group_of(std::string_view name, grouping by);

}  // namespace mlmq::selector
