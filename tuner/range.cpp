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

/// Decimal digits that a double represents reliably.
constexpr int certain_digits = 15;

bool is_integer(const value& v) { return type_of(v) == value_type::integer; }

double as_real(const value& v, const char* key) {
  const std::optional<value> real = convert(v, value_type::real);
  if (!real) {
    throw input_error(std::string("range: '") + key + "' must be a number" +
                      (is_integer(v) ? " that is exact as a real" : "") + ", not " + to_text(v));
  }
  return std::get<double>(*real);
}

double rounded(double number, std::chars_format format, int precision) {
  std::array<char, 512> buffer{};  // the longest double in fixed notation has 309 digits
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format, precision).ptr;
  double result = number;
  std::from_chars(buffer.data(), end, result);
  return result + 0.0;  // no -0.0
}

[[noreturn]] void fail_for_order(const value& first, const value& limit) {
  throw input_error("range: 'to' (" + to_text(limit) + ") is below 'from' (" + to_text(first) + ")");
}

[[noreturn]] void fail_for_size() { throw input_error("range: more than " + std::to_string(most_values) + " values"); }

[[noreturn]] void fail_for_step(const value& step) {
  throw input_error("range: 'step' must be positive, not " + to_text(step));
}

void require_geometric(const value& first, const value& limit, const value& factor, bool is_descending,
                       bool begins_above_zero, bool grows) {
  if (is_descending) fail_for_order(first, limit);
  if (!begins_above_zero) throw input_error("range: 'from' must be positive, not " + to_text(first));
  if (!grows) throw input_error("range: 'factor' must be above 1, not " + to_text(factor));
}

/// Returns a range of integers, computed exactly: doubles would round beyond 2^53.
std::vector<value> integer_range(std::int64_t first, std::int64_t limit, std::int64_t step) {
  if (limit < first) fail_for_order(first, limit);
  if (step <= 0) fail_for_step(step);
  const std::uint64_t steps =
      (static_cast<std::uint64_t>(limit) - static_cast<std::uint64_t>(first)) / static_cast<std::uint64_t>(step);
  if (steps >= most_values) fail_for_size();
  std::vector<value> result{first};
  for (std::uint64_t i = 0; i < steps; ++i) result.emplace_back(std::get<std::int64_t>(result.back()) + step);
  return result;
}

}  // namespace

std::vector<value> arithmetic_range(const value& first, const value& limit, const value& step) {
  if (is_integer(first) && is_integer(limit) && is_integer(step)) {
    return integer_range(std::get<std::int64_t>(first), std::get<std::int64_t>(limit), std::get<std::int64_t>(step));
  }
  const double low = as_real(first, "from");
  const double high = as_real(limit, "to");
  const double increment = as_real(step, "step");
  if (high < low) fail_for_order(first, limit);
  if (!(increment > 0)) fail_for_step(step);
  // `limit` belongs to the range even if the division falls short by a rounding error.
  const double steps = std::floor((high - low) / increment * (1 + 1e-12) + 1e-12);
  if (!(steps < static_cast<double>(most_values))) fail_for_size();

  std::vector<value> result;
  const auto count = static_cast<std::int64_t>(steps) + 1;
  const double largest = std::max({std::abs(low), std::abs(high), increment});
  const int decimals = certain_digits - 1 - static_cast<int>(std::floor(std::log10(largest)));
  for (std::int64_t i = 0; i < count; ++i) {
    const double exact = low + static_cast<double>(i) * increment;
    result.emplace_back(decimals >= 0 && decimals <= 100 ? rounded(exact, std::chars_format::fixed, decimals) : exact);
  }
  return result;
}

std::vector<value> geometric_range(const value& first, const value& limit, const value& factor) {
  std::vector<value> result;
  if (is_integer(first) && is_integer(limit) && is_integer(factor)) {
    const std::int64_t last = std::get<std::int64_t>(limit);
    const std::int64_t ratio = std::get<std::int64_t>(factor);
    std::int64_t v = std::get<std::int64_t>(first);
    require_geometric(first, limit, factor, v > last, v > 0, ratio > 1);
    while (v <= last) {
      result.emplace_back(v);
      if (__builtin_mul_overflow(v, ratio, &v)) break;
    }
    return result;
  }
  const double low = as_real(first, "from");
  const double high = as_real(limit, "to");
  const double ratio = as_real(factor, "factor");
  require_geometric(first, limit, factor, high<low, low> 0, ratio > 1);
  // Exact products, such as powers of two, are kept; values are rounded from the first inexact product on.
  bool exact = true;
  double power = low;
  while (power <= high * (1 + 1e-12) && std::isfinite(power)) {
    if (result.size() == most_values) fail_for_size();
    result.emplace_back(exact ? power : rounded(power, std::chars_format::general, certain_digits));
    const double next = power * ratio;
    exact = exact && std::fma(power, ratio, -next) == 0;
    power = next;
  }
  return result;
}

}  // namespace mlmq::tuner
