// SPDX-License-Identifier: Apache-2.0
#include "tuner/former_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/error.hpp"
#include "base/renamed_parameters.hpp"
#include "base/text.hpp"
#include "tuner/parameter.hpp"

namespace mlmq::tuner {
namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Returns whether `name` is one of the names in `symbols`, such as "Δ, F"; upper and lower case are the same.
bool is_symbol(std::string_view name, std::string_view symbols) {
  const std::vector<std::string> listed = split(symbols, ',');
  return std::ranges::any_of(listed, [&](const std::string& symbol) {
    return std::ranges::equal(
        symbol, name, {}, [](unsigned char c) { return std::tolower(c); },
        [](unsigned char c) { return std::tolower(c); });
  });
}

}  // namespace

std::string name_hint(std::string_view unknown, std::span<const std::string> known_names,
                      std::span<const std::pair<std::string, std::string>> symbols) {
  std::vector<std::string> meant;
  for (const auto& [parameter, symbol] : symbols) {
    if (is_symbol(unknown, symbol)) meant.push_back(quoted(std::string_view(parameter)));
  }
  if (!meant.empty()) {
    return fmt::format("; the papers' {} is {}", unknown, fmt::join(meant, " or "));
  }
  const std::string_view current = current_name(unknown);
  if (current == unknown || std::ranges::find(known_names, current) == known_names.end())
    return did_you_mean_or_closest(unknown, known_names);
  std::string hint = "; it is now called " + quoted(current);
  const std::string_view meaning = former_meaning(current);
  if (!meaning.empty()) hint += ", and the former " + quoted(current) + " is now called " + quoted(meaning);
  return hint;
}

std::string_view former_meaning(std::string_view name) {
  const std::string_view current = current_name(name);
  const bool is_reused =
      std::ranges::find(renamed_parameters, name, &renamed_parameter::current) != renamed_parameters.end();
  return is_reused && current != name ? current : std::string_view();
}

bool fits_former_meaning(const value& v, const parameter_declaration& formerly_meant) {
  try {
    (void)checked_value(formerly_meant, v, {});
    return true;
  } catch (const input_error&) {
    return false;
  }
}

std::string ambiguous_name(std::string_view name, std::string_view written) {
  const std::string meaning = quoted(former_meaning(name));
  return quoted(name) + " is the former name of " + meaning + ", so '" + std::string(written) +
         "' is ambiguous: give " + meaning + " too";
}

}  // namespace mlmq::tuner
