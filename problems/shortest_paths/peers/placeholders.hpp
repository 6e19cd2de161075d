// SPDX-License-Identifier: Apache-2.0
// Placeholders like {graph} in the words of a peer's command.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::problems::search_peers {

/// Returns the names that are allowed between braces.
[[nodiscard]] std::span<const std::string_view> placeholder_names();

/// Replaces every {NAME} in the word by value_of(NAME), even if NAME is not a known placeholder.
[[nodiscard]] std::string replace_placeholders(std::string_view word,
                                               const std::function<std::string(const std::string&)>& value_of);

/// Returns whether one of the words contains {placeholder}.
[[nodiscard]] bool mentions(std::span<const std::string> words, const std::string& placeholder);

}  // namespace mlmq::problems::search_peers
