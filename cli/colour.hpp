// SPDX-License-Identifier: Apache-2.0
// Colours for people at a terminal; other programs that read the output get plain text.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace mlmq::cli {

enum class colour { bold, red, yellow, cyan };

/// Returns whether the output to a stream has colours: CLICOLOR_FORCE (not 0) asks for them, NO_COLOR (not empty) and
/// CLICOLOR=0 turn them off, and otherwise a terminal has them unless TERM is "dumb".
[[nodiscard]] bool uses_colours(std::FILE* stream);

/// Returns `text` in a colour if the output to `stream` has colours. The result must not pass through printable().
[[nodiscard]] std::string coloured(std::FILE* stream, colour chosen, std::string_view text);

}  // namespace mlmq::cli
