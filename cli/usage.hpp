// SPDX-License-Identifier: Apache-2.0
// The command line in a person's words: checks of option values, and what parsing errors say.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::cli {

/// What CLI::Option::check takes: "" for a good value, or else what is wrong with it.
using value_check = std::function<std::string(const std::string&)>;

/// A whole number within these bounds.
[[nodiscard]] value_check whole_number(std::uint64_t least,
                                       std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
/// A finite number above 0 (or from 0 on, with `zero_too`) up to `most`.
[[nodiscard]] value_check positive_number(bool zero_too = false, double most = std::numeric_limits<double>::max());

/// A validator for one of a few words, which help and completion list.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& choices);
/// A validator that turns a size such as "8GiB" or "500MB" into bytes; units are powers of 1024.
[[nodiscard]] CLI::Validator size_in_bytes();

/// Adds to every option of a command and of its subcommands the checks that its type asks for: numbers without a sign,
/// and nothing empty (an empty argument is a shell variable that was not set) except for options named `may_be_empty`.
void check_values(CLI::App& app, std::string_view may_be_empty);

/// What is wrong with the command line, what was probably meant, and where to read on.
[[nodiscard]] std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

/// Returns the text on one line: line feeds, other control characters and bytes that are not UTF-8 as in a C string, at
/// most longest_quote bytes of each input that it quotes, and at most about a thousand bytes in all.
[[nodiscard]] std::string on_one_line(std::string_view text);

}  // namespace mlmq::cli
