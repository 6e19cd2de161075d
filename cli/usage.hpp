// SPDX-License-Identifier: Apache-2.0
// Options with a unit, checks of option values, and messages about parsing errors.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace mlmq::cli {

/// How an option takes its duration.
struct duration_format {
  std::string_view stored_unit;  ///< unit of the variable: "us", "ms", "s", "min" or "h"
  bool zero_allowed = false;
};

/// Adds an option that takes a duration such as "90s", "1.5min" or "2h".
///
/// @param value  in `stored_unit`; must live until the command line has been parsed; 0: the option has no default
CLI::Option* add_duration_option(CLI::App& command, const std::string& name, double& value,
                                 const duration_format& format, const std::string& description);

/// Check for CLI::Option::check(): returns "" for a valid value, or an error message.
using value_check = std::function<std::string(const std::string&)>;

/// Checks for a whole number within these bounds.
[[nodiscard]] value_check whole_number(std::uint64_t least,
                                       std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
/// Checks for a finite number above 0 (with `zero_too` also 0) and at most `most`.
[[nodiscard]] value_check positive_number(bool zero_too = false, double most = std::numeric_limits<double>::max());

/// Validates one of a few words, which help and completion list.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& choices);
/// Converts a size such as "8GiB" or "500MB" to bytes; units are powers of 1024.
[[nodiscard]] CLI::Validator size_in_bytes();

/// Adds checks to every option of a command and its subcommands: unsigned numbers have no sign, and values are not
/// empty (usually an unset shell variable), except for options named `may_be_empty`.
void check_values(CLI::App& app, std::string_view may_be_empty);

/// Returns a message about an invalid command line, with suggestions and a reference to --help.
[[nodiscard]] std::string usage_message(const CLI::App& app, const CLI::ParseError& error);

/// Returns the text on one line: control characters and invalid UTF-8 are escaped as in a C string, quoted inputs are
/// shortened to longest_quote bytes, and the whole text to about a thousand bytes.
[[nodiscard]] std::string on_one_line(std::string_view text);

}  // namespace mlmq::cli
