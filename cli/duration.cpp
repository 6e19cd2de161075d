// SPDX-License-Identifier: Apache-2.0
#include "cli/duration.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "base/error.hpp"

namespace mlmq::cli {

double seconds_of(const std::string& text) {
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const double seconds = unit.empty() || unit == "min" ? 60 : unit == "s" ? 1 : unit == "h" ? 3600 : 0;
  if (failure != std::errc() || seconds == 0 || !(number > 0) || !std::isfinite(number * seconds)) {
    throw input_error(fmt::format(
        "'{}' is no duration; expected a number above 0 of minutes, or one with a unit: 90s, 2min, 1h", text));
  }
  return number * seconds;
}

}  // namespace mlmq::cli
