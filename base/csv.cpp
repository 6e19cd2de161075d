// SPDX-License-Identifier: Apache-2.0
#include "base/csv.hpp"

#include <charconv>

namespace mlmq {
namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

/// Returns whether a spreadsheet would run the text as a formula. A single "-" means "no value" in tables, and
/// spreadsheets treat it as text.
bool is_formula(std::string_view text) {
  return text.size() > 1 && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

}  // namespace

std::string csv_field(std::string_view text) {
  const std::string field = (is_formula(text) ? "'" : "") + std::string(text);
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char character : field) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

}  // namespace mlmq
