// SPDX-License-Identifier: Apache-2.0
// Which graphs are worth to be searched in parts (kernels/partitioned/), if many searches are made.
#pragma once

#include <optional>
#include <string>

#include "backends/backend.hpp"
#include "graph/csr.hpp"

namespace mlmq::problems {

/// @param graph its rows are read
/// @return the configuration, as what differs from the defaults; nothing for weights of 8 bytes, for rows of more than 4,096 edges, for dense graphs and for those
///   that do not fit into the registers and the shared memory of the device
[[nodiscard]] std::optional<std::string> part_search_for(const graph::csr_graph& graph,
                                                         const backends::device_info& device);

/// About how long it takes on the host until searches on parts can begin, in milliseconds.
[[nodiscard]] double expected_split_ms(const graph::csr_graph& graph);

}  // namespace mlmq::problems
