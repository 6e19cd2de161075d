// SPDX-License-Identifier: Apache-2.0
// Times of a prepared configuration, measured to compare it with others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "library/search_types.hpp"

namespace mlmq::detail {

/// Mean over the sources of the median times of what is prepared in `where`, in milliseconds. Nothing when a search fails,
/// takes longer than `limit_ms`, or four times as long as the best so far.
/// @param label of what is prepared: where to search is weighed with these times, too
/// @param best milliseconds for each source so far; updated
[[nodiscard]] std::optional<double> mean_time(resident& where, const std::string& label,
                                              std::span<const vertex> sources, std::vector<double>& best,
                                              double limit_ms);

}  // namespace mlmq::detail
