// SPDX-License-Identifier: Apache-2.0
// Shapes of the partitioned search (kernels/partitioned/), for many searches of one graph.
#pragma once

#ifndef MLMQ_PLANS_SEARCHES
#error "only the plan of searches chooses shapes of parts; ask it (problems/searches/plan.hpp)"
#endif

#include <optional>
#include <string>

#include "backends/backend.hpp"
#include "graph/csr.hpp"

namespace mlmq::problems {

/// Selects a configuration of the partitioned search. Reads all rows of the graph.
/// @return the parameters that differ from the defaults; nothing for weights of 8 bytes, and graphs that do not fit
/// into the registers and the shared memory of the device. Whether queues are faster is for the clock to decide.
[[nodiscard]] std::optional<std::string> part_search_for(const graph::csr_graph& graph,
                                                         const backends::device_info& device);

}  // namespace mlmq::problems
