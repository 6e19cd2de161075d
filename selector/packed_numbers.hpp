// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers as text in the JSON of models: each number has a fixed count of hexadecimal digits, those of its
// bits. Reading a shipped model takes a fifth of the time that arrays of decimals take, and floats stay what they are.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace mlmq::selector {

/// Integer of the size of a number.
template <typename Number>
using bits_of_number = std::conditional_t<sizeof(Number) == 1, std::uint8_t,
                                          std::conditional_t<sizeof(Number) == 2, std::uint16_t, std::uint32_t>>;

template <typename Number>
[[nodiscard]] std::string pack(const std::vector<Number>& numbers) {
  static_assert(sizeof(Number) <= sizeof(std::uint32_t));
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(numbers.size() * 2 * sizeof(Number));
  for (const Number number : numbers) {
    const std::uint32_t bits = std::bit_cast<bits_of_number<Number>>(number);
    for (unsigned shift = 8 * sizeof(Number); shift > 0; shift -= 4) text += digits[bits >> (shift - 4) & 15];
  }
  return text;
}

/// @throws input_error for a text that pack() cannot have returned
template <typename Number>
[[nodiscard]] std::vector<Number> unpack(std::string_view text) {
  static constexpr std::uint8_t none = 16;
  static constexpr auto values = [] {
    std::array<std::uint8_t, 256> result{};
    result.fill(none);
    for (std::uint8_t i = 0; i < 10; ++i) result['0' + i] = i;
    for (std::uint8_t i = 0; i < 6; ++i) result['a' + i] = static_cast<std::uint8_t>(10 + i);
    return result;
  }();
  constexpr std::size_t width = 2 * sizeof(Number);
  std::uint8_t worst = text.size() % width == 0 ? 0 : none;
  std::vector<Number> numbers(text.size() / width);
  const char* digit = text.data();
  for (Number& number : numbers) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < width; ++i) {
      const std::uint8_t value = values[static_cast<std::uint8_t>(*digit++)];
      worst = value > worst ? value : worst;
      bits = bits << 4 | (value & 15u);
    }
    number = std::bit_cast<Number>(static_cast<bits_of_number<Number>>(bits));
  }
  if (worst == none) throw input_error("an array of numbers is damaged");
  return numbers;
}

}  // namespace mlmq::selector
