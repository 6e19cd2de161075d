// SPDX-License-Identifier: Apache-2.0
// The kernels of first calls, by which machine code is shipped (`mlmq cache fill`).
#pragma once

#include <vector>

#include "backends/backend.hpp"

namespace mlmq::detail {

/// What solve(), solve_many() and betweenness() run on a GPU when nobody gives a configuration: for sssp with weights of
/// every type and for bfs, on graphs of less than 2^32 edges, without counters. The kernels of maps and of simulations are
/// not among them: they depend on the workload. No kernel is there twice.
[[nodiscard]] std::vector<backends::kernel_source> first_kernels();

}  // namespace mlmq::detail
