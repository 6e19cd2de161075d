// SPDX-License-Identifier: Apache-2.0
// Final report of `mlmq solve GRAPH --sources …`.
#pragma once

#include <cstddef>

#include "cli/solve_many.hpp"

namespace mlmq::cli {

/// Prints the report as text or JSON.
/// @param summary of no devices if no search was missing
/// @param targets number of targets per search; 0: all vertices
/// @param already number of searches whose distances were already written
void report_searches(const digraph& graph, const multi_source_request& request, const device& devices,
                     const batch_summary& summary, std::size_t targets, std::size_t already);

}  // namespace mlmq::cli
