// SPDX-License-Identifier: Apache-2.0
// Messages about parameters whose names have changed (base/renamed_parameters.hpp), for what people write.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tuner/value.hpp"

namespace mlmq::tuner {

struct parameter_declaration;

/// The end of a message about an unknown name: the present name of a parameter that was called so, or did_you_mean().
[[nodiscard]] std::string name_hint(std::string_view unknown, std::span<const std::string> known_names);

/// The present name of the parameter that `name` formerly meant, if `name` is now another parameter's; otherwise "".
[[nodiscard]] std::string_view former_meaning(std::string_view name);

/// Whether `v` could be meant for the parameter `formerly_meant`, which was called like the parameter that it is given for.
[[nodiscard]] bool fits_former_meaning(const value& v, const parameter_declaration& formerly_meant);

/// The message for a name that could mean two parameters because the one it formerly meant is not given.
/// @param written the value or the condition with the name
[[nodiscard]] std::string ambiguous_name(std::string_view name, std::string_view written);

}  // namespace mlmq::tuner
