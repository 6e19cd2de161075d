// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/element_type.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

namespace mlmq::kernel {
namespace {

std::vector<element_type> all_types() {
  struct number {
    const char* name;
    number_kind kind;
    std::size_t bytes;
    const char* npy;
    bool has_vectors;
  };
  constexpr std::array<number, 16> numbers = {{{"float", number_kind::real, 4, "<f4", true},
                                               {"double", number_kind::real, 8, "<f8", true},
                                               {"half", number_kind::real, 2, "<f2", false},
                                               {"__half", number_kind::real, 2, "<f2", false},
                                               {"int", number_kind::signed_integer, 4, "<i4", true},
                                               {"unsigned", number_kind::unsigned_integer, 4, "<u4", false},
                                               {"uint", number_kind::unsigned_integer, 4, "<u4", true},
                                               {"char", number_kind::signed_integer, 1, "|i1", true},
                                               {"unsigned char", number_kind::unsigned_integer, 1, "|u1", false},
                                               {"uchar", number_kind::unsigned_integer, 1, "|u1", true},
                                               {"short", number_kind::signed_integer, 2, "<i2", true},
                                               {"unsigned short", number_kind::unsigned_integer, 2, "<u2", false},
                                               {"long long", number_kind::signed_integer, 8, "<i8", false},
                                               {"unsigned long long", number_kind::unsigned_integer, 8, "<u8", false},
                                               {"size_t", number_kind::unsigned_integer, 8, "<u8", false},
                                               {"bool", number_kind::unsigned_integer, 1, "|b1", false}}};
  std::vector<element_type> types;
  for (const number& plain : numbers) {
    types.push_back({.name = plain.name, .kind = plain.kind, .bytes = plain.bytes, .numbers = 1, .npy = plain.npy});
    if (!plain.has_vectors) continue;
    for (const std::size_t width : {2U, 3U, 4U}) {
      types.push_back({.name = plain.name + std::to_string(width),
                       .kind = plain.kind,
                       .bytes = plain.bytes,
                       .numbers = width,
                       .npy = plain.npy});
    }
  }
  return types;
}

const std::vector<element_type>& types() {
  static const std::vector<element_type> known_types = all_types();
  return known_types;
}

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
  const auto scaled = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // A carry out of the fraction increases the exponent, as it should.
  return static_cast<std::uint16_t>(sign + (exponent == -14 ? 0 : (exponent + 14) << 10) + scaled);
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

/// Returns the type of structures with this number of bytes, or null for an invalid number.
const element_type* structure_of(const std::string& digits) {
  constexpr std::size_t most_digits = 6;
  const bool is_number = !digits.empty() && digits.size() <= most_digits &&
                         std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; });
  const std::size_t bytes = is_number ? std::stoul(digits) : 0;
  if (bytes == 0) return nullptr;
  static std::mutex mutex;
  static std::map<std::size_t, element_type> structures;  // its entries keep their addresses
  const std::lock_guard lock(mutex);
  element_type& type = structures[bytes];
  if (type.name.empty()) {
    type = {.name = "bytes(" + digits + ")",
            .kind = number_kind::unsigned_integer,
            .bytes = 1,
            .numbers = bytes,
            .npy = ""};
  }
  return &type;
}

}  // namespace

const element_type* find_type(const std::string& name) {
  if (name.starts_with("bytes(") && name.ends_with(')')) return structure_of(name.substr(6, name.size() - 7));
  for (const element_type& type : types()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const element_type& type : types()) names.push_back(type.name);
  return names;
}

double read_number(const element_type& type, const std::byte* numbers, std::size_t position) {
  if (type.kind == number_kind::real) {
    if (type.bytes == 2) return from_half(load<std::uint16_t>(numbers, position));
    return type.bytes == 4 ? static_cast<double>(load<float>(numbers, position)) : load<double>(numbers, position);
  }
  return with_integer(type, [&]<class T>(T) { return static_cast<double>(load<T>(numbers, position)); });
}

void write_number(const element_type& type, std::byte* numbers, std::size_t position, double value) {
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
