// SPDX-License-Identifier: Apache-2.0
// Arithmetic of expressions: whole numbers are exact, other numbers have the precision of a double.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace mlmq::tuner {

/// A number. Whole numbers below 2^96 in magnitude and quotients of two of them are exact. Whatever exceeds that is
/// rounded like a double.
class exact_number {
 public:
  __extension__ using wide = __int128;

  exact_number() = default;
  /// A double with a whole value is exact, like other numbers.
  exact_number(double real);  // NOLINT(google-explicit-constructor): doubles are numbers
  exact_number(std::int64_t whole) : exact_number(fraction(whole, 1)) {}   // NOLINT(google-explicit-constructor)
  exact_number(std::uint64_t whole) : exact_number(fraction(whole, 1)) {}  // NOLINT(google-explicit-constructor)

  /// Returns the value, or the double nearest to it.
  [[nodiscard]] double real() const noexcept { return real_; }
  /// Returns the value if it is a whole number that is known exactly.
  [[nodiscard]] std::optional<wide> whole() const;
  [[nodiscard]] bool is_true() const noexcept { return real_ != 0 && real_ == real_; }

  // Arithmetic. Where a rounded operand could give a wrong whole number or a wrong truth, it is an error.
  friend exact_number operator+(const exact_number& a, const exact_number& b);
  friend exact_number operator-(const exact_number& a, const exact_number& b);
  friend exact_number operator*(const exact_number& a, const exact_number& b);
  friend exact_number operator/(const exact_number& a, const exact_number& b);
  friend exact_number operator-(const exact_number& a);
  /// @throws input_error for a rounded operand, like the following functions
  [[nodiscard]] static exact_number floor_quotient(const exact_number& a, const exact_number& b);
  /// The result has the sign of `a`.
  [[nodiscard]] static exact_number remainder(const exact_number& a, const exact_number& b);
  [[nodiscard]] static exact_number power(const exact_number& base, const exact_number& exponent);
  [[nodiscard]] exact_number floor() const;
  [[nodiscard]] exact_number ceil() const;
  [[nodiscard]] bool is_power_of_two() const;
  [[nodiscard]] static bool equal(const exact_number& a, const exact_number& b);
  /// Compares; a NaN is unordered.
  [[nodiscard]] static std::partial_ordering order(const exact_number& a, const exact_number& b);

 private:
  [[nodiscard]] static exact_number fraction(wide numerator, wide denominator);
  [[nodiscard]] static exact_number rounded(double real, const exact_number& a, const exact_number& b);
  void require_exact() const;

  double real_ = 0;
  wide numerator_ = 0;
  wide denominator_ = 1;  // 0: the value is only known as real_
  bool is_rounded_ = false;
};

}  // namespace mlmq::tuner
