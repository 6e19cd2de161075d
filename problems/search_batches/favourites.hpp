// SPDX-License-Identifier: Apache-2.0
// Configurations that suit a graph, where no selector has been trained.
#pragma once

#include <vector>

#include "backends/backend.hpp"
#include "problems/solve_hook.hpp"

namespace mlmq::batches {

/// Best first. By what is known of graphs of many kinds (docs/measurements.md): whether a few vertices have most of the edges,
/// and how many edges a vertex has.
/// @param feature asked for `m`, `nnz` and `max_nnz`
[[nodiscard]] std::vector<problems::suggested_configuration> favourites(const problems::feature_value& feature,
                                                                        const backends::device_info& device);

}  // namespace mlmq::batches
