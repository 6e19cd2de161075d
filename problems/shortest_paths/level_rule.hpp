// SPDX-License-Identifier: Apache-2.0
// Which graphs breadth-first search goes through by levels that are pushed or pulled (kernels/push_pull/), where a selector
// knows nothing of them.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mlmq::problems {

/// For graphs of few, of more and of many edges.
inline constexpr std::array level_searches{
    "solver=push_pull,threads=512,blocks_per_multiprocessor=1", "solver=push_pull,threads=1024,blocks_per_multiprocessor=1",
    "solver=push_pull,threads=1024,blocks_per_multiprocessor=1,long_row=512,piece_edges=64"};

/// @param names of features, as selectors are told them @param values one for each name; NaN: unknown
/// @return one of level_searches, as what differs from the defaults; nothing where queues are faster, or where the number of
///   edges and the largest degree are unknown
[[nodiscard]] std::optional<std::string> level_search_for(std::span<const std::string_view> names,
                                                          std::span<const double> values);

}  // namespace mlmq::problems
