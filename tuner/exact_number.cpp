// SPDX-License-Identifier: Apache-2.0
#include "tuner/exact_number.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace mlmq::tuner {
namespace {

using wide = exact_number::wide;

/// Magnitudes of exact numbers are below this, so that sums of two fit `wide`.
constexpr wide exact_end = wide{1} << 96;
constexpr wide largest_product = wide{1} << 126;

constexpr wide magnitude(wide a) { return a < 0 ? -a : a; }

/// Returns the quotient, rounded down.
wide floor_divided(wide a, wide b) {
  const wide quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace

exact_number::exact_number(double real) : real_(real) {
  if (std::abs(real) < static_cast<double>(exact_end) && real == std::floor(real)) {
    numerator_ = static_cast<wide>(real);
  } else {
    denominator_ = 0;
  }
}

exact_number exact_number::fraction(wide numerator, wide denominator) {
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  if (numerator % denominator == 0) {
    numerator /= denominator;
    denominator = 1;
  }
  exact_number result;
  result.real_ = static_cast<double>(numerator) / static_cast<double>(denominator);
  if (magnitude(numerator) < exact_end) {
    result.numerator_ = numerator;
    result.denominator_ = denominator;
  } else {
    result.denominator_ = 0;
    result.is_rounded_ = true;
  }
  return result;
}

exact_number exact_number::rounded(double real, const exact_number& a, const exact_number& b) {
  constexpr wide certain = wide{1} << 53;
  const auto loses = [](const exact_number& n) {
    return n.is_rounded_ || magnitude(n.numerator_) > certain || n.denominator_ > certain;
  };
  exact_number result(real);
  if (loses(a) || loses(b)) {
    result.denominator_ = 0;
    result.is_rounded_ = true;
  }
  return result;
}

void exact_number::require_exact() const {
  if (is_rounded_)
    throw input_error("a number is too large to be computed exactly; whole numbers are exact up to 2^96");
}

std::optional<wide> exact_number::whole() const {
  return denominator_ == 1 && !is_rounded_ ? std::optional(numerator_) : std::nullopt;
}

exact_number operator+(const exact_number& a, const exact_number& b) {
  if (a.whole() && b.whole()) return exact_number::fraction(a.numerator_ + b.numerator_, 1);
  return exact_number::rounded(a.real_ + b.real_, a, b);
}

exact_number operator-(const exact_number& a, const exact_number& b) { return a + -b; }

exact_number operator-(const exact_number& a) {
  exact_number result = a;
  result.real_ = -a.real_;
  result.numerator_ = -a.numerator_;
  return result;
}

exact_number operator*(const exact_number& a, const exact_number& b) {
  const bool is_whole = a.whole() && b.whole();
  const bool fits =
      is_whole && (a.numerator_ == 0 || magnitude(b.numerator_) <= largest_product / magnitude(a.numerator_));
  return fits ? exact_number::fraction(a.numerator_ * b.numerator_, 1) : exact_number::rounded(a.real_ * b.real_, a, b);
}

exact_number operator/(const exact_number& a, const exact_number& b) {
  if (a.whole() && b.whole() && b.numerator_ != 0) return exact_number::fraction(a.numerator_, b.numerator_);
  return exact_number::rounded(a.real_ / b.real_, a, b);
}

exact_number exact_number::floor_quotient(const exact_number& a, const exact_number& b) { return (a / b).floor(); }

exact_number exact_number::remainder(const exact_number& a, const exact_number& b) {
  a.require_exact();
  b.require_exact();
  if (a.whole() && b.whole() && b.numerator_ != 0) return fraction(a.numerator_ % b.numerator_, 1);
  return rounded(std::fmod(a.real_, b.real_), a, b);
}

exact_number exact_number::power(const exact_number& base, const exact_number& exponent) {
  const bool is_product = base.whole() && exponent.whole() && exponent.numerator_ >= 0;
  const bool is_trivial = is_product && magnitude(base.numerator_) <= 1;
  if (!is_product || (!is_trivial && exponent.numerator_ > 64)) {
    exact_number result = rounded(std::pow(base.real_, exponent.real_), base, exponent);
    if (is_product) result.is_rounded_ = true;
    return result;
  }
  const wide factors =
      is_trivial ? std::min<wide>(exponent.numerator_, 2 - exponent.numerator_ % 2) : exponent.numerator_;
  exact_number result(std::int64_t{1});
  for (wide i = 0; i < factors; ++i) result = result * base;
  return result;
}

exact_number exact_number::floor() const {
  require_exact();
  return denominator_ == 0 ? exact_number(std::floor(real_)) : fraction(floor_divided(numerator_, denominator_), 1);
}

exact_number exact_number::ceil() const { return -(-*this).floor(); }

bool exact_number::is_power_of_two() const {
  require_exact();
  if (denominator_ == 1) return numerator_ > 0 && (numerator_ & (numerator_ - 1)) == 0;
  int exponent = 0;
  return real_ >= 1 && std::frexp(real_, &exponent) == 0.5;
}

bool exact_number::equal(const exact_number& a, const exact_number& b) {
  a.require_exact();
  b.require_exact();
  return order(a, b) == 0;
}

std::partial_ordering exact_number::order(const exact_number& a, const exact_number& b) {
  if (a.whole() && b.whole()) return a.numerator_ <=> b.numerator_;
  return a.real_ <=> b.real_;
}

}  // namespace mlmq::tuner
