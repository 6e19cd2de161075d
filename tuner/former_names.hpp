// SPDX-License-Identifier: Apache-2.0
// Messages about renamed parameters (base/renamed_parameters.hpp).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tuner/value.hpp"

namespace mlmq::tuner {

struct parameter_declaration;

/// Returns the end of a message about an unknown name: the current name of a renamed parameter, the parameters that
/// have the name in the papers, or did_you_mean().
/// @param symbols  pairs of a parameter and its names in the papers (parameter_declaration::symbol)
[[nodiscard]] std::string name_hint(std::string_view unknown, std::span<const std::string> known_names,
                                    std::span<const std::pair<std::string, std::string>> symbols = {});

/// Returns the current name of the parameter that `name` formerly meant, if `name` now belongs to another parameter;
/// otherwise "".
[[nodiscard]] std::string_view former_meaning(std::string_view name);

/// Returns whether `v` is a valid value of `formerly_meant`, the parameter that formerly had the name.
[[nodiscard]] bool fits_former_meaning(const value& v, const parameter_declaration& formerly_meant);

/// Returns the message for an ambiguous name: it may mean its current or its former parameter, since the latter is not
/// given by its current name.
/// @param written value or condition in which the name occurs
[[nodiscard]] std::string ambiguous_name(std::string_view name, std::string_view written);

}  // namespace mlmq::tuner
