// SPDX-License-Identifier: Apache-2.0
// Value of a tuning parameter: a boolean, an integer, a real number or a text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tuner/exact_number.hpp"

namespace mlmq::tuner {

/// Equality and order are those of std::variant: type first, then content.
using value = std::variant<bool, std::int64_t, double, std::string>;

/// Types, in the order of the alternatives of `value`.
enum class value_type { boolean, integer, real, text };

[[nodiscard]] value_type type_of(const value& v) noexcept;

/// Returns "boolean", "integer", "real" or "text".
[[nodiscard]] std::string_view name_of(value_type type) noexcept;

/// Returns a canonical, locale-independent text: true, 8, 0.5, vector. The real 2.0 gives "2"; the declared type of the
/// parameter distinguishes it from the integer 2.
[[nodiscard]] std::string to_text(const value& v);

/// Returns the value as JSON. A real keeps a fraction or an exponent ("2.0"), so that the type survives a round trip.
[[nodiscard]] std::string to_json(const value& v);

/// Parses `text` as a value of `type`, or returns nothing. Booleans and numbers are those of YAML 1.2's core schema:
/// true, True and TRUE; 32, 0x20 and 0o40; 0.5, 5e-1 and 5E-1. Leading zeros are refused, since other schemas take 017
/// for octal. Numbers are finite, integers fit 64 bits, and a real without a fraction or an exponent is exact.
[[nodiscard]] std::optional<value> parse_value(std::string_view text, value_type type);

/// Parses a number like parse_value(), for expressions: whole numbers are below 2^64.
[[nodiscard]] std::optional<exact_number> parse_number(std::string_view text);

/// Returns whether some schema of YAML, or a programming language, reads `text` as a number, a truth or nothing: 8,
/// yes, True, 0b11, 017, 1_000, 1:30, ~, inf.
[[nodiscard]] bool is_ambiguous(std::string_view text);

/// Reads a text that has no quotes as the first matching type of boolean, integer, real and text.
/// @throws input_error for a number that is not finite or does not fit, and for a text that is ambiguous
[[nodiscard]] value plain_value(std::string_view text);

/// Converts `v` to `type`, or returns nothing. The only conversion between types is from an integer to an equal real.
[[nodiscard]] std::optional<value> convert(const value& v, value_type type);

/// Returns whether `text` is a valid text value: not empty and printable ASCII.
[[nodiscard]] bool is_usable_text(std::string_view text) noexcept;

/// Returns whether a usable text needs no quotes in a label: it has no blanks, quotes, commas and equals signs.
[[nodiscard]] bool is_plain_text(std::string_view text) noexcept;

/// Returns the value as in a label: like to_text(), but in quotes, as in JSON, if it is a text that is not plain.
[[nodiscard]] std::string label_text(const value& v);

}  // namespace mlmq::tuner
