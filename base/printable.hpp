// SPDX-License-Identifier: Apache-2.0
// Makes text from files and command lines safe for messages: without terminal escapes, and short.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mlmq {

/// Maximum length of a part of an input that a message quotes, in bytes.
inline constexpr std::size_t longest_quote = 200;

/// Returns `text` with control characters and bytes that are not UTF-8 written as in a C string, "\x1b", so that no
/// name in it can control a terminal. Line feeds and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);

/// Returns `text` with only the bytes that are not UTF-8 written like that, so that it can be stored as text.
[[nodiscard]] std::string as_utf8(std::string_view text);

/// Returns a message in which every word and every text in single quotes has at most longest_quote bytes. The middle of
/// a longer one is replaced by "…".
[[nodiscard]] std::string with_short_quotes(std::string_view message);

}  // namespace mlmq
