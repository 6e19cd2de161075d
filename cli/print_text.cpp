// SPDX-License-Identifier: Apache-2.0
#include "cli/print_text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

namespace mlmq::cli {
namespace {

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

int code_of(colour chosen) {
  switch (chosen) {
    case colour::red:
      return 31;
    case colour::yellow:
      return 33;
    case colour::cyan:
      return 36;
    case colour::bold:
      break;
  }
  return 1;
}

}  // namespace

bool uses_colours(std::FILE* stream) {
  if (!variable("NO_COLOR").empty()) return false;
  const std::string_view forced = variable("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return variable("CLICOLOR") != "0" && variable("TERM") != "dumb" && ::isatty(::fileno(stream)) != 0;
}

std::string coloured(std::FILE* stream, colour chosen, std::string_view text) {
  if (!uses_colours(stream)) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code_of(chosen), text);
}

}  // namespace mlmq::cli
