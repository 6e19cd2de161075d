// SPDX-License-Identifier: Apache-2.0
// The kernels that first calls need and whose machine code is shipped (`mlmq cache fill`).
#pragma once

#include <vector>

#include "backends/backend.hpp"

namespace mlmq::detail {

/// Returns the kernels, without duplicates, that solve(), solve_many() and betweenness() run on a GPU when no
/// configuration is given: for sssp with every weight type and for bfs, on graphs with fewer than 2^32 edges, without
/// counters. Kernels of maps and simulations are not included because they depend on the workload.
[[nodiscard]] std::vector<backends::kernel_source> first_kernels();

}  // namespace mlmq::detail
