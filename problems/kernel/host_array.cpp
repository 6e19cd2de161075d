// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/host_array.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "base/thread_team.hpp"
#include "problems/kernel/array_file.hpp"

namespace mlmq::kernel {
namespace {

constexpr std::size_t numbers_per_part = std::size_t{1} << 18;  // that one thread fills
constexpr double random_whole_numbers = 100;                    // default range of random whole numbers: 0 to 99

std::uint64_t seed_of(const array_definition& array) {
  std::uint64_t letters = 0;
  for (const char c : array.name) letters = mix64({letters, static_cast<std::uint64_t>(c)});
  return mix64({array.seed, letters});
}

/// Returns the position of a real number in the order of the representable numbers.
std::int64_t rank(const element_type& type, const std::byte* numbers, std::size_t position) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, numbers + position * type.bytes, type.bytes);
  const std::uint64_t sign = std::uint64_t{1} << (8 * type.bytes - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

/// Returns the number of steps between two representable numbers; no number of steps leads to or from a NaN.
std::uint64_t ulp_distance(const element_type& type, const std::byte* a, const std::byte* b, std::size_t position) {
  if (std::isnan(read_number(type, a, position)) || std::isnan(read_number(type, b, position))) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  const std::int64_t first = rank(type, a, position);
  const std::int64_t second = rank(type, b, position);
  return first > second ? static_cast<std::uint64_t>(first) - static_cast<std::uint64_t>(second)
                        : static_cast<std::uint64_t>(second) - static_cast<std::uint64_t>(first);
}

}  // namespace

std::vector<std::byte> initial_contents(const array_definition& array, const element_type& type, std::size_t count,
                                        const std::filesystem::path& folder) {
  if (array.fill == fill_rule::file) return read_array(folder / array.file, array.name, type, count);
  const std::size_t numbers = count * type.numbers;
  std::vector<std::byte> contents(numbers * type.bytes);
  if (array.fill == fill_rule::zeros) return contents;
  const bool is_real = type.kind == number_kind::real;
  const double width = array.maximum.value_or(is_real ? 1 : random_whole_numbers) - array.minimum;
  const std::uint64_t seed = mix64({seed_of(array)});
  constexpr double unit = 1.0 / (std::uint64_t{1} << 53);
  const auto write_part = [&](std::size_t /*part*/, std::size_t first, std::size_t end) {
    random_stream random = random_stream::from_state(seed + first * golden_step);
    for (std::size_t i = first; i < end; ++i) {
      double number = 1;
      if (array.fill == fill_rule::index) number = static_cast<double>(i);
      if (array.fill == fill_rule::random) {
        number = array.minimum + static_cast<double>(random.next() >> 11) * unit * width;
        if (!is_real) number = std::floor(number);
      }
      write_number(type, contents.data(), i, number);
    }
  };
  if (numbers <= numbers_per_part) {
    write_part(0, 0, numbers);
  } else {
    thread_team(0).run_blocks(numbers, numbers_per_part, write_part);
  }
  return contents;
}

std::string compare(const std::string& name, const element_type& type, const std::vector<std::byte>& results,
                    const std::vector<std::byte>& expected, const tolerance& allowed) {
  if (results.size() != expected.size()) {
    return fmt::format("{}: {} bytes instead of {}", name, results.size(), expected.size());
  }
  if (results.empty() || std::memcmp(results.data(), expected.data(), results.size()) == 0) return "";
  std::size_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < results.size() / type.bytes; ++i) {
    const std::size_t offset = i * type.bytes;
    if (std::memcmp(results.data() + offset, expected.data() + offset, type.bytes) == 0) continue;
    if (type.kind == number_kind::real) {
      const double right = read_number(type, expected.data(), i);
      const double got = read_number(type, results.data(), i);
      // Also true for +0 and -0. A NaN is equal to nothing but the same NaN.
      if (std::isfinite(right) && std::abs(got - right) <= allowed.absolute + allowed.relative * std::abs(right))
        continue;
      if (allowed.ulp > 0 && ulp_distance(type, results.data(), expected.data(), i) <= allowed.ulp) continue;
    }
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  return fmt::format("{}[{}] is {}, expected {}; {} of {} numbers are wrong", name, first,
                     read_number(type, results.data(), first), read_number(type, expected.data(), first), wrong,
                     results.size() / type.bytes);
}

}  // namespace mlmq::kernel
