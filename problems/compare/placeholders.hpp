// SPDX-License-Identifier: Apache-2.0
// Placeholders like {graph} in the words of a peer's command.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tuner/yaml_reader.hpp"

namespace mlmq::compare {

/// Replaces every {NAME} in the word by value_of(NAME).
[[nodiscard]] std::string replace_placeholders(std::string_view word,
                                               const std::function<std::string(const std::string&)>& value_of);

/// Checks the placeholders in the words of a command that `node` has. @throws input_error for an unknown name
void check_placeholders(std::span<const std::string> words, std::span<const std::string> known_names,
                        const tuner::yaml_value& node);

/// Returns whether one of the words contains {placeholder}.
[[nodiscard]] bool mentions(std::span<const std::string> words, const std::string& placeholder);

}  // namespace mlmq::compare
