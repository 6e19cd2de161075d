// SPDX-License-Identifier: Apache-2.0
#include "tuner/value.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"

namespace mlmq::tuner {
namespace {

bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

/// A whole number as written.
struct written_integer {
  bool is_negative = false;
  int base = 10;
  std::string_view digits;  ///< at least one; decimal ones have no leading zeros
};

/// Parses [-+]?[0-9]+ (without leading zeros, which other schemas take for octal), 0o[0-7]+ or 0x[0-9a-fA-F]+.
std::optional<written_integer> integer_form(std::string_view text) {
  written_integer form;
  if (text.starts_with("0x") || text.starts_with("0o")) {
    form.base = text[1] == 'x' ? 16 : 8;
    text.remove_prefix(2);
  } else if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    form.is_negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const bool are_digits = std::ranges::all_of(text, [&](char c) {
    if (form.base == 16) return std::isxdigit(static_cast<unsigned char>(c)) != 0;
    return form.base == 8 ? c >= '0' && c <= '7' : is_decimal_digit(c);
  });
  if (text.empty() || !are_digits || (form.base == 10 && text.size() > 1 && text.front() == '0')) return std::nullopt;
  form.digits = text;
  return form;
}

/// Returns the magnitude, or nothing from 2^64 on.
std::optional<std::uint64_t> magnitude_of(const written_integer& form) {
  std::uint64_t result = 0;
  const char* const end = form.digits.data() + form.digits.size();
  const auto [stop, error] = std::from_chars(form.digits.data(), end, result, form.base);
  return error == std::errc() && stop == end ? std::optional(result) : std::nullopt;
}

std::optional<std::int64_t> parse_integer(const written_integer& form) {
  const std::optional<std::uint64_t> magnitude = magnitude_of(form);
  constexpr std::uint64_t end = std::uint64_t{1} << 63;
  if (!magnitude || *magnitude > end || (*magnitude == end && !form.is_negative)) return std::nullopt;
  return static_cast<std::int64_t>(form.is_negative ? 0 - *magnitude : *magnitude);
}

/// Parses a decimal number with a fraction or an exponent, or any number of digits.
std::optional<double> parse_decimal(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::string_view unsigned_text = text.starts_with('-') ? text.substr(1) : text;
  // from_chars() also reads "inf" and "nan".
  if (unsigned_text.empty() || (!is_decimal_digit(unsigned_text.front()) && unsigned_text.front() != '.'))
    return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number + 0.0;  // -0.0 becomes 0.0, so that equal values have equal texts
}

std::optional<double> parse_real(std::string_view text) {
  const std::optional<written_integer> form = integer_form(text);
  if (!form) {
    const bool has_leading_zeros = text.find_first_not_of("+-0123456789") == std::string_view::npos;
    return has_leading_zeros ? std::nullopt : parse_decimal(text);
  }
  if (form->base != 10) {
    const std::optional<std::int64_t> whole = parse_integer(*form);
    const auto real = whole ? convert(*whole, value_type::real) : std::nullopt;
    return real ? std::optional(std::get<double>(*real)) : std::nullopt;
  }
  // A whole number must be exact: its digits are those of the nearest double.
  const std::optional<double> number = parse_decimal(text);
  if (!number) return std::nullopt;
  std::array<char, 512> digits{};  // the longest double has 309
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(*number), std::chars_format::fixed, 0).ptr;
  return form->digits == std::string_view(digits.data(), end) ? number : std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
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
      if (text == "true" || text == "True" || text == "TRUE") return value(true);
      if (text == "false" || text == "False" || text == "FALSE") return value(false);
      return std::nullopt;
    case value_type::integer: {
      const std::optional<written_integer> form = integer_form(text);
      const std::optional<std::int64_t> number = form ? parse_integer(*form) : std::nullopt;
      return number ? std::optional<value>(*number) : std::nullopt;
    }
    case value_type::real: {
      const std::optional<double> number = parse_real(text);
      return number ? std::optional<value>(*number) : std::nullopt;
    }
    case value_type::text:
      break;
  }
  if (!is_usable_text(text)) return std::nullopt;
  return value(std::string(text));
}

std::optional<exact_number> parse_number(std::string_view text) {
  const std::optional<written_integer> form = integer_form(text);
  const std::optional<std::uint64_t> magnitude = form ? magnitude_of(*form) : std::nullopt;
  if (magnitude) return form->is_negative ? -exact_number(*magnitude) : exact_number(*magnitude);
  const std::optional<double> number = parse_real(text);
  return number ? std::optional<exact_number>(*number) : std::nullopt;
}

bool is_ambiguous(std::string_view text) {
  constexpr std::array<std::string_view, 10> words = {"true", "false", "yes", "no",   "on",
                                                      "off",  "null",  "~",   ".inf", ".nan"};
  std::string number = lower_case(text);
  if (std::ranges::find(words, number) != words.end()) return true;
  if (number.starts_with('-') || number.starts_with('+')) number.erase(0, 1);
  if (number == ".inf") return true;
  std::erase(number, '_');
  if (number.empty()) return false;
  // Base 60: 1:30 is 90 in YAML 1.1.
  if (is_decimal_digit(number.front()) && number.find(':') != std::string::npos &&
      number.find_first_not_of("0123456789:.") == std::string::npos) {
    return true;
  }
  if (number.size() > 2 && number.front() == '0' && std::string_view("box").find(number[1]) != std::string::npos) {
    const std::string_view digits = number[1] == 'b' ? "01" : number[1] == 'o' ? "01234567" : "0123456789abcdef";
    return number.find_first_not_of(digits, 2) == std::string::npos;
  }
  double real = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), real);
  return error != std::errc::invalid_argument && end == number.data() + number.size();
}

value plain_value(std::string_view text) {
  const std::string quoted = "'" + std::string(text) + "'";
  for (const value_type type : {value_type::boolean, value_type::integer}) {
    if (auto v = parse_value(text, type)) return *std::move(v);
  }
  if (integer_form(text)) throw input_error(quoted + " does not fit a signed 64-bit integer");
  if (auto v = parse_value(text, value_type::real)) return *std::move(v);
  if (is_ambiguous(text)) {
    throw input_error(quoted +
                      " may be read as a number, a truth or nothing; write a finite decimal, 0x or 0o number, true or "
                      "false, or put the text in quotes");
  }
  return std::string(text);
}

std::optional<value> convert(const value& v, value_type type) {
  if (type_of(v) == type) return v;
  if (type_of(v) != value_type::integer || type != value_type::real) return std::nullopt;
  const std::int64_t whole = std::get<std::int64_t>(v);
  const auto real = static_cast<double>(whole);
  if (exact_number(real).whole() != exact_number(whole).whole()) return std::nullopt;
  return value(real);
}

bool is_usable_text(std::string_view text) noexcept {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= ' ' && c < '\x7f'; });
}

bool is_plain_text(std::string_view text) noexcept {
  return is_usable_text(text) && text.find_first_of(" ,=\"'") == std::string_view::npos;
}

std::string label_text(const value& v) {
  const auto* text = std::get_if<std::string>(&v);
  if (text == nullptr || is_plain_text(*text)) return to_text(v);
  return nlohmann::json(*text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace mlmq::tuner
