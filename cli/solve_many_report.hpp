// SPDX-License-Identifier: Apache-2.0
// Final report of `mlmq solve GRAPH --sources …`.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string>

#include "cli/solve_many.hpp"

namespace mlmq::cli {

/// Work of one device.
struct device_work {
  device search_device;
  batch_summary done;
  double elapsed = 0;  ///< total time in milliseconds
  std::exception_ptr failure;
};

/// Prints the report as text or JSON.
/// @param targets number of targets per search; 0: all vertices
/// @param already number of searches whose distances were already written
void report_searches(const digraph& graph, const multi_source_request& request, std::span<const device_work> devices,
                     std::size_t targets, std::size_t already);

}  // namespace mlmq::cli
