// SPDX-License-Identifier: Apache-2.0
// Configurations that suit a graph, by rules of thumb.
#pragma once

#include <vector>

#include "problems/solve_hook.hpp"

namespace mlmq::centrality {

/// As solve_hook::choose. Looks at the features m, nnz and max_nnz.
[[nodiscard]] std::vector<problems::suggested_configuration> favourites(const problems::feature_value& feature,
                                                                        const backends::device_info& device);

}  // namespace mlmq::centrality
