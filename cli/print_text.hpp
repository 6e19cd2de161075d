// SPDX-License-Identifier: Apache-2.0
// Prints to the terminal. Names of files, workloads and devices are untrusted and must not control the terminal.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "base/printable.hpp"

namespace mlmq::cli {

/// Colours for people at a terminal; other programs that read the output get plain text.
enum class colour { bold, red, yellow, cyan };

/// Returns whether the output to a stream has colours: CLICOLOR_FORCE (not 0) asks for them, NO_COLOR (not empty) and
/// CLICOLOR=0 turn them off, and otherwise a terminal has them unless TERM is "dumb".
[[nodiscard]] bool uses_colours(std::FILE* stream);

/// Returns `text` in a colour if the output to `stream` has colours. The result must not pass through printable().
[[nodiscard]] std::string coloured(std::FILE* stream, colour chosen, std::string_view text);

/// Formats text like fmt::format() and prints it after printable() has escaped control characters.
template <typename... Values>
void print_text(std::FILE* stream, fmt::format_string<Values...> text, Values&&... values) {
  fmt::print(stream, "{}", printable(fmt::format(text, std::forward<Values>(values)...)));
}

/// Prints to standard output.
template <typename... Values>
void print_text(fmt::format_string<Values...> text, Values&&... values) {
  print_text(stdout, text, std::forward<Values>(values)...);
}

/// Prints "mlmq: note: …" as a line on standard error.
template <typename... Values>
void print_note(fmt::format_string<Values...> text, Values&&... values) {
  fmt::print(stderr, "mlmq: {} ", coloured(stderr, colour::yellow, "note:"));
  print_text(stderr, "{}\n", fmt::format(text, std::forward<Values>(values)...));
}

/// Prints data for other programs to standard output: unchanged, unless it is a terminal.
inline void print_data(std::string_view data) {
  fmt::print("{}", ::isatty(STDOUT_FILENO) != 0 ? printable(data) : std::string(data));
}

}  // namespace mlmq::cli
