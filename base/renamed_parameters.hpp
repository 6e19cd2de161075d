// SPDX-License-Identifier: Apache-2.0
// Parameters of searches on graphs whose names have changed. Databases, models and tuned selectors of earlier versions
// are converted by their version number; what people write is refused where a name could mean either.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace mlmq {

struct renamed_parameter {
  std::string_view former;
  std::string_view present;
};

/// `bnum` occurs on both sides: MLMQ's paper calls the buckets that exist bmax, and those that are looked at bnum.
inline constexpr std::array<renamed_parameter, 2> renamed_parameters{
    {{.former = "bnum", .present = "bmax"}, {.former = "open_buckets", .present = "bnum"}}};

/// Whether configurations of this problem have parameters that were renamed.
[[nodiscard]] bool has_renamed_parameters(std::string_view problem);

/// The present name of a parameter that was called `former`; `former` itself if it was not renamed.
[[nodiscard]] std::string_view present_name(std::string_view former);

/// Converts a label ("k=v,k=v", sorted by name) with former names to one with present names.
[[nodiscard]] std::string label_with_present_names(std::string_view label);

/// Converts a label with present names to one with former names. A label that does not have all renamed parameters is
/// returned unchanged.
[[nodiscard]] std::string label_with_former_names(std::string_view label);

/// Replaces former names by present ones in a text, wherever they stand as whole words.
[[nodiscard]] std::string text_with_present_names(std::string_view text);

}  // namespace mlmq
