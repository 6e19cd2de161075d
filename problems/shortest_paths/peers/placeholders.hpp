// SPDX-License-Identifier: Apache-2.0
// Placeholders like {graph} in the words of a peer's command.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::problems::search_peers {

/// The names that may stand between braces.
[[nodiscard]] std::span<const std::string_view> placeholder_names();

/// The word with every {NAME} replaced by value_of(NAME), whether it is a placeholder's name or not.
[[nodiscard]] std::string replace_placeholders(std::string_view word,
                                               const std::function<std::string(const std::string&)>& value_of);

/// Whether one of the words has {placeholder}.
[[nodiscard]] bool mentions(std::span<const std::string> words, const std::string& placeholder);

}  // namespace mlmq::problems::search_peers
