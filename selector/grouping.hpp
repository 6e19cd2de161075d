// SPDX-License-Identifier: Apache-2.0
// Groups workloads that are variants of each other. A model that has seen one variant knows the others, so a split
// never separates the members of a group.
#pragma once

#include <string>
#include <string_view>

namespace mlmq::selector {

enum class grouping {
  workload,  ///< one structure with other weights, queries, seeds or options
  family,    ///< also all sizes of one generator or numbered series: road12 and road22, delaunay_n18 and delaunay_n24
};

/// "workload" or "family". @throws input_error on anything else
[[nodiscard]] grouping grouping_from(std::string_view name);

/// Derives the group of a recorded workload from its name: "power14:degree=8:seed=3" belongs to the workload "power14"
/// and the family "power"; "usroads-float" belongs to the workload and the family "usroads".
[[nodiscard]] std::string group_of(std::string_view name, grouping level);

}  // namespace mlmq::selector
