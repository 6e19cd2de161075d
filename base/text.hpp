// SPDX-License-Identifier: Apache-2.0
// Small text helpers for messages and reports.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq {

/// Returns the C++ name of a mangled name or type, or `mangled` itself if it is none.
[[nodiscard]] std::string demangled(const std::string& mangled);

/// Returns the candidate with the smallest edit distance to `word`, or "" if none is close enough to be a likely typo
/// (at most a third of the word's length, or 2 if that is more).
[[nodiscard]] std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// Returns "; did you mean 'x'?", or "" if no candidate is close.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// Like did_you_mean(), but if no candidate is close, returns "; the closest names are a, b and c" by edit distance, or
/// "" without candidates.
[[nodiscard]] std::string did_you_mean_or_closest(std::string_view word, std::span<const std::string> candidates);

/// Splits `text` at every `separator` and removes surrounding blanks. Empty pieces are kept.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// Returns the shortest decimal that reads back to exactly `number`, independent of the locale.
[[nodiscard]] std::string shortest_decimal(double number);

}  // namespace mlmq
