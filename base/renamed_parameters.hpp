// SPDX-License-Identifier: Apache-2.0
// Renamed parameters of searches on graphs. Databases, models and tuned selectors of earlier versions are converted
// according to their version number. Names that users write are rejected if they could be former or current names.
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

/// Returns whether configurations of this problem have renamed parameters.
[[nodiscard]] bool has_renamed_parameters(std::string_view problem);

/// Returns the current name of the parameter that was named `former`; `former` itself if it was not renamed.
[[nodiscard]] std::string_view current_name(std::string_view former);

/// Converts a label ("k=v,k=v", sorted by name) with former names to one with current names.
[[nodiscard]] std::string label_with_current_names(std::string_view label);

/// Converts a label with current names to one with former names. A label that does not have all renamed parameters is
/// returned unchanged.
[[nodiscard]] std::string label_with_former_names(std::string_view label);

/// Replaces former names by current ones in a text, wherever they occur as whole words.
[[nodiscard]] std::string text_with_current_names(std::string_view text);

}  // namespace mlmq
