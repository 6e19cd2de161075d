// SPDX-License-Identifier: Apache-2.0
#include "tuner/range.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace mlmq::tuner {
namespace {

constexpr std::size_t most_values = 1'000'000;

/// What a double holds for certain; the rest is where rounding errors show.
constexpr int certain_digits = 15;

bool is_integer(const value& v) { return type_of(v) == value_type::integer; }

double as_real(const value& v, const char* what) {
  if (is_integer(v)) return static_cast<double>(std::get<std::int64_t>(v));
  if (const auto* real = std::get_if<double>(&v)) return *real;
  throw input_error(std::string("range: '") + what + "' must be a number, not " + to_text(v));
}

double rounded(double number, std::chars_format format, int precision) {
  std::array<char, 512> buffer{};  // the longest double in fixed notation has 309 digits
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format, precision).ptr;
  double result = number;
  std::from_chars(buffer.data(), end, result);
  return result + 0.0;  // no -0.0
}

[[noreturn]] void fail_for_order(const value& from, const value& to) {
  throw input_error("range: 'to' (" + to_text(to) + ") is below 'from' (" + to_text(from) + ")");
}

[[noreturn]] void fail_for_size() { throw input_error("range: more than " + std::to_string(most_values) + " values"); }

[[noreturn]] void fail_for_step(const value& step) {
  throw input_error("range: 'step' must be positive, not " + to_text(step));
}

/// A range of integers, exactly: doubles would round those beyond 2^53.
std::vector<value> integer_range(std::int64_t from, std::int64_t to, std::int64_t step) {
  if (to < from) fail_for_order(from, to);
  if (step <= 0) fail_for_step(step);
  const std::uint64_t steps =
      (static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from)) / static_cast<std::uint64_t>(step);
  if (steps >= most_values) fail_for_size();
  std::vector<value> result{from};
  for (std::uint64_t i = 0; i < steps; ++i) result.emplace_back(std::get<std::int64_t>(result.back()) + step);
  return result;
}

}  // namespace

std::vector<value> arithmetic_range(const value& from, const value& to, const value& step) {
  if (is_integer(from) && is_integer(to) && is_integer(step)) {
    return integer_range(std::get<std::int64_t>(from), std::get<std::int64_t>(to), std::get<std::int64_t>(step));
  }
  const double low = as_real(from, "from");
  const double high = as_real(to, "to");
  const double by = as_real(step, "step");
  if (high < low) fail_for_order(from, to);
  if (!(by > 0)) fail_for_step(step);
  // `to` belongs to the range even when the division falls short of it by a rounding error.
  const double steps = std::floor((high - low) / by * (1 + 1e-12) + 1e-12);
  if (!(steps < static_cast<double>(most_values))) fail_for_size();

  std::vector<value> result;
  const auto count = static_cast<std::int64_t>(steps) + 1;
  const double largest = std::max({std::abs(low), std::abs(high), by});
  const int decimals = certain_digits - 1 - static_cast<int>(std::floor(std::log10(largest)));
  for (std::int64_t i = 0; i < count; ++i) {
    const double exact = low + static_cast<double>(i) * by;
    result.emplace_back(decimals >= 0 && decimals <= 100 ? rounded(exact, std::chars_format::fixed, decimals) : exact);
  }
  return result;
}

std::vector<value> geometric_range(const value& from, const value& to, const value& factor) {
  const double low = as_real(from, "from");
  const double high = as_real(to, "to");
  const double by = as_real(factor, "factor");
  if (high < low) fail_for_order(from, to);
  if (!(low > 0)) throw input_error("range: 'from' must be positive, not " + to_text(from));
  if (!(by > 1)) throw input_error("range: 'factor' must be above 1, not " + to_text(factor));

  std::vector<value> result;
  if (is_integer(from) && is_integer(to) && is_integer(factor)) {
    const std::int64_t last = std::get<std::int64_t>(to);
    if (last < std::get<std::int64_t>(from)) fail_for_order(from, to);
    for (std::int64_t v = std::get<std::int64_t>(from); v <= last;) {
      result.emplace_back(v);
      if (__builtin_mul_overflow(v, std::get<std::int64_t>(factor), &v)) break;
    }
    return result;
  }
  // Products of powers of two and the like are exact and stay so; others are rounded once they are
  // not.
  bool exact = true;
  double power = low;
  while (power <= high * (1 + 1e-12) && std::isfinite(power)) {
    if (result.size() == most_values) fail_for_size();
    result.emplace_back(exact ? power : rounded(power, std::chars_format::general, certain_digits));
    const double next = power * by;
    exact = exact && std::fma(power, by, -next) == 0;
    power = next;
  }
  return result;
}

}  // namespace mlmq::tuner
