// SPDX-License-Identifier: Apache-2.0
// Configurations that suit a graph, where no selector has been trained.
#pragma once

#include <cstddef>
#include <vector>

#include "backends/backend.hpp"
#include "problems/solve_hook.hpp"

namespace mlmq::batches {

/// Best first. By what is known of graphs of many kinds (docs/measurements.md): whether a few vertices have most of the edges,
/// and how many edges a vertex has.
/// @param feature asked for `m`, `nnz` and `max_nnz`
/// @param searches of this graph that are known of: to number its vertices by place takes as long as thousands
[[nodiscard]] std::vector<problems::suggested_configuration> favourites(const problems::feature_value& feature,
                                                                        const backends::device_info& device,
                                                                        std::size_t searches);

}  // namespace mlmq::batches
