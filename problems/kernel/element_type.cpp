// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/element_type.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace mlmq::kernel {
namespace {

/// Converts IEEE 754 binary16 to double.
double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

/// Converts to IEEE 754 binary16, rounding to the nearest value, ties to even.
std::uint16_t to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7e00;
  const double magnitude = std::abs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  const int exponent = magnitude < std::ldexp(1, -14) ? -14 : std::ilogb(magnitude);
  const auto scaled = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // A carry out of the fraction increases the exponent, as it should.
  return static_cast<std::uint16_t>(sign + (exponent == -14 ? 0 : (exponent + 14) << 10) + scaled);
}

/// The upper half of a float is a bfloat16.
double from_brain_float(std::uint16_t bits) {
  return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

/// Converts to bfloat16, rounding to the nearest value, ties to even.
std::uint16_t to_brain_float(double value) {
  if (std::isnan(value)) return 0x7fc0;
  // The float is odd where it is inexact, so that the second rounding gives what one rounding gives.
  auto rounded = static_cast<float>(value);
  auto bits = std::bit_cast<std::uint32_t>(rounded);
  if (static_cast<double>(rounded) != value && std::isfinite(rounded)) {
    if (std::abs(static_cast<double>(rounded)) > std::abs(value)) --bits;
    bits |= 1;
  }
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

template <class T>
T load(const std::byte* numbers, std::size_t position) {
  T value;
  std::memcpy(&value, numbers + position * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::byte* numbers, std::size_t position, T value) {
  std::memcpy(numbers + position * sizeof(T), &value, sizeof(T));
}

/// Calls `use` with a value of the integer type with this size.
template <class Use>
auto with_integer(const element_type& type, const Use& use) {
  const bool is_signed = type.kind == number_kind::signed_integer;
  switch (type.bytes) {
    case 1:
      return is_signed ? use(std::int8_t{}) : use(std::uint8_t{});
    case 2:
      return is_signed ? use(std::int16_t{}) : use(std::uint16_t{});
    case 4:
      return is_signed ? use(std::int32_t{}) : use(std::uint32_t{});
    default:
      return is_signed ? use(std::int64_t{}) : use(std::uint64_t{});
  }
}

}  // namespace

double read_number(const element_type& type, const std::byte* numbers, std::size_t position) {
  if (type.kind == number_kind::brain_float) return from_brain_float(load<std::uint16_t>(numbers, position));
  if (type.kind == number_kind::real) {
    if (type.bytes == 2) return from_half(load<std::uint16_t>(numbers, position));
    return type.bytes == 4 ? static_cast<double>(load<float>(numbers, position)) : load<double>(numbers, position);
  }
  return with_integer(type, [&]<class T>(T) { return static_cast<double>(load<T>(numbers, position)); });
}

std::string number_text(const element_type& type, const std::byte* numbers, std::size_t position) {
  if (type.is_real()) return fmt::format("{}", read_number(type, numbers, position));
  return with_integer(type, [&]<class T>(T) { return std::to_string(load<T>(numbers, position)); });
}

bool store_number(const element_type& type, std::byte* numbers, std::size_t position,
                  const tuner::exact_number& value) {
  if (type.is_real()) {
    write_number(type, numbers, position, value.real());
    return !std::isfinite(value.real()) || std::isfinite(read_number(type, numbers, position));
  }
  const auto whole = value.whole();
  if (!whole) return false;
  with_integer(type, [&]<class T>(T) { store(numbers, position, static_cast<T>(*whole)); });
  const bool is_truth = type.npy != "|b1" || *whole == 0 || *whole == 1;
  return is_truth && with_integer(type, [&]<class T>(T) { return load<T>(numbers, position) == *whole; });
}

void write_number(const element_type& type, std::byte* numbers, std::size_t position, double value) {
  if (type.kind == number_kind::brain_float) return store(numbers, position, to_brain_float(value));
  if (type.kind == number_kind::real) {
    if (type.bytes == 2) return store(numbers, position, to_half(value));
    return type.bytes == 4 ? store(numbers, position, static_cast<float>(value)) : store(numbers, position, value);
  }
  // A direct cast is undefined for numbers beyond the range of T.
  const auto bits =
      value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : static_cast<std::uint64_t>(value);
  with_integer(type, [&]<class T>(T) { store(numbers, position, static_cast<T>(bits)); });
}

}  // namespace mlmq::kernel
