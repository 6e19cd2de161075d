// SPDX-License-Identifier: Apache-2.0
// The value of a tuning parameter: a boolean, an integer, a real number or a text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace mlmq::tuner {

/// Equality and order are those of std::variant: first the type, then the content.
using value = std::variant<bool, std::int64_t, double, std::string>;

/// In the order of the alternatives of `value`.
enum class value_type { boolean, integer, real, text };

[[nodiscard]] value_type type_of(const value& v) noexcept;

/// "boolean", "integer", "real" or "text".
[[nodiscard]] std::string_view name_of(value_type type) noexcept;

/// Canonical and independent of the locale: true, 8, 0.5, vector. A real 2.0 reads "2": the
/// declared type of its parameter tells it from the integer 2.
[[nodiscard]] std::string to_text(const value& v);

/// The same as JSON. A real keeps a fraction or an exponent ("2.0"), so the type survives a round
/// trip.
[[nodiscard]] std::string to_json(const value& v);

/// `text` as a value of `type`: nothing when it is not one. Numbers are decimal and finite; an
/// integer fits 64 bits.
[[nodiscard]] std::optional<value> parse_value(std::string_view text, value_type type);

/// `text` as the first of boolean, integer, real and text that it is.
[[nodiscard]] value guess_value(std::string_view text);

/// `v` as a value of `type`; only an integer turns into another type, real. Nothing when it would
/// not be the same.
[[nodiscard]] std::optional<value> convert(const value& v, value_type type);

/// Whether `text` may be a text value: not empty, printable ASCII without blanks, quotes and the
/// characters that separate the entries of a label (comma, equals sign).
[[nodiscard]] bool is_usable_text(std::string_view text) noexcept;

}  // namespace mlmq::tuner
