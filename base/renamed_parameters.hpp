// SPDX-License-Identifier: Apache-2.0
// Renamed parameters of searches on graphs. Names that users write are rejected if they could be former or current
// names, and the order of candidates of a model keeps the former names.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace mlmq {

struct renamed_parameter {
  std::string_view former;
  std::string_view current;
};

/// Former and current names. `bnum` is in both columns: MLMQ's paper calls the number of existing buckets bmax, and the
/// number of inspected buckets bnum.
inline constexpr std::array<renamed_parameter, 2> renamed_parameters{
    {{.former = "bnum", .current = "bmax"}, {.former = "open_buckets", .current = "bnum"}}};

/// Returns the current name of the parameter that was named `former`; `former` itself if it was not renamed.
[[nodiscard]] std::string_view current_name(std::string_view former);

/// Converts a label ("k=v,k=v", sorted by name) with current names to one with former names. A label that does not have
/// all renamed parameters is returned unchanged.
[[nodiscard]] std::string label_with_former_names(std::string_view label);

}  // namespace mlmq
