// SPDX-License-Identifier: Apache-2.0
// Times a prepared configuration, to compare it with others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "library/resident.hpp"
#include "mlmq/graph.hpp"

namespace mlmq::detail {

/// Returns the mean over the sources of the median search times in milliseconds, for the configuration prepared in
/// `place`. Returns nothing if a search fails, takes longer than `limit_ms`, or takes four times as long as the best so
/// far.
/// @param label  label of the prepared configuration; the times are also used to choose between device and processors
/// @param best  best milliseconds so far, one per source; updated
[[nodiscard]] std::optional<double> mean_time(resident& place, const std::string& label,
                                              std::span<const vertex> sources, std::vector<double>& best,
                                              double limit_ms);

}  // namespace mlmq::detail
