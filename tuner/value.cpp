// SPDX-License-Identifier: Apache-2.0
#include "tuner/value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace mlmq::tuner {
namespace {

// Returns the text of a number. Unlike from_chars(), rejects "inf" and "nan", which may be names, and accepts a leading
// '+'.
std::optional<std::string_view> number_text(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  const std::string_view unsigned_text = !text.empty() && text.front() == '-' ? text.substr(1) : text;
  if (unsigned_text.empty()) return std::nullopt;
  const char first = unsigned_text.front();
  if (!(first >= '0' && first <= '9') && first != '.') return std::nullopt;
  return text;
}

template <typename number>
std::optional<number> parse_number(std::string_view text) {
  const auto digits = number_text(text);
  if (!digits) return std::nullopt;
  number parsed{};
  const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), parsed);
  if (error != std::errc{} || end != digits->data() + digits->size()) return std::nullopt;
  return parsed;
}

}  // namespace

value_type type_of(const value& v) noexcept { return static_cast<value_type>(v.index()); }

std::string_view name_of(value_type type) noexcept {
  switch (type) {
    case value_type::boolean:
      return "boolean";
    case value_type::integer:
      return "integer";
    case value_type::real:
      return "real";
    case value_type::text:
      break;
  }
  return "text";
}

std::string to_text(const value& v) {
  switch (type_of(v)) {
    case value_type::boolean:
      return std::get<bool>(v) ? "true" : "false";
    case value_type::integer:
      return std::to_string(std::get<std::int64_t>(v));
    case value_type::real:
      return shortest_decimal(std::get<double>(v));
    case value_type::text:
      break;
  }
  return std::get<std::string>(v);
}

std::string to_json(const value& v) {
  std::string text = to_text(v);
  if (type_of(v) == value_type::text) return nlohmann::json(text).dump();
  if (type_of(v) == value_type::real && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::optional<value> parse_value(std::string_view text, value_type type) {
  switch (type) {
    case value_type::boolean:
      if (text == "true") return value(true);
      if (text == "false") return value(false);
      return std::nullopt;
    case value_type::integer:
      if (const auto number = parse_number<std::int64_t>(text)) return value(*number);
      return std::nullopt;
    case value_type::real:
      if (const auto number = parse_number<double>(text)) {
        return value(*number + 0.0);  // -0.0 becomes 0.0, so that equal values have equal texts
      }
      return std::nullopt;
    case value_type::text:
      break;
  }
  if (!is_usable_text(text)) return std::nullopt;
  return value(std::string(text));
}

value guess_value(std::string_view text) {
  for (const value_type type : {value_type::boolean, value_type::integer, value_type::real}) {
    if (auto v = parse_value(text, type)) return *std::move(v);
  }
  return std::string(text);
}

std::optional<value> convert(const value& v, value_type type) {
  if (type_of(v) == type) return v;
  if (type_of(v) != value_type::integer || type != value_type::real) return std::nullopt;
  const std::int64_t whole = std::get<std::int64_t>(v);
  constexpr std::int64_t exact_limit = std::int64_t{1} << 53;
  if (whole > exact_limit || whole < -exact_limit) return std::nullopt;
  return value(static_cast<double>(whole));
}

bool is_usable_text(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c != ',' && c != '=' && c != '"' && c != '\'' && c > ' ' && c < '\x7f';
  });
}

}  // namespace mlmq::tuner
