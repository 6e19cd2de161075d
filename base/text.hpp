// SPDX-License-Identifier: Apache-2.0
// Small text helpers for messages and reports.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq {

/// The candidate with the smallest edit distance to `word`, or "" when none is close enough to be a likely typo
/// (at most a third of the word's length, at least 2).
[[nodiscard]] std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean 'x'?" or "" when nothing is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// As did_you_mean(); when nothing is near, "; the closest names are a, b and c" by edit distance, or "" without
/// candidates.
[[nodiscard]] std::string did_you_mean_or_closest(std::string_view word, std::span<const std::string> candidates);

/// `text` split at every `separator`, surrounding blanks removed; empty pieces are kept.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);

/// The shortest decimal that reads back to exactly `number`, independent of the locale.
[[nodiscard]] std::string shortest_decimal(double number);

}  // namespace mlmq
