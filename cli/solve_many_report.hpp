// SPDX-License-Identifier: Apache-2.0
// What `mlmq solve GRAPH --sources …` says when it is done.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string>

#include "cli/solve_many.hpp"

namespace mlmq::cli {

/// What one device did.
struct device_work {
  device where;
  batch_summary done;
  double elapsed = 0;  ///< milliseconds, all together
  std::exception_ptr failure;
};

/// Tells or prints it, as the request wants.
/// @param targets how many, of each search; 0: all vertices
/// @param already searches whose distances were there before
void report_searches(const digraph& graph, const many_request& asked, std::span<const device_work> devices,
                     std::size_t targets, std::size_t already);

}  // namespace mlmq::cli
