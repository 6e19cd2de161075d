// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/host_array.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "problems/kernel/array_file.hpp"

namespace mlmq::kernel {
namespace {

constexpr double random_whole_numbers = 100;  // default range of random whole numbers: 0 to 99

std::uint64_t seed_of(const array_definition& array) {
  std::uint64_t letters = 0;
  for (const char c : array.name) letters = mix64({letters, static_cast<std::uint64_t>(c)});
  return mix64({array.seed, letters});
}

}  // namespace

std::vector<std::byte> initial_contents(const array_definition& array, const element_type& type, std::size_t count,
                                        const std::filesystem::path& folder) {
  if (array.fill == fill_rule::file) return read_array(folder / array.file, array.name, type, count);
  const std::size_t numbers = count * type.numbers;
  std::vector<std::byte> contents(numbers * type.bytes);
  if (array.fill == fill_rule::zeros) return contents;
  random_stream random{seed_of(array)};
  const bool is_real = type.kind == number_kind::real;
  const bool has_range = array.maximum > array.minimum;
  const double minimum = has_range ? array.minimum : 0;
  const double width = has_range ? array.maximum - array.minimum : is_real ? 1 : random_whole_numbers;
  constexpr double unit = 1.0 / (std::uint64_t{1} << 53);
  for (std::size_t i = 0; i < numbers; ++i) {
    double number = 1;
    if (array.fill == fill_rule::index) number = static_cast<double>(i);
    if (array.fill == fill_rule::random) {
      number = minimum + static_cast<double>(random.next() >> 11) * unit * width;
      if (!is_real) number = std::floor(number);
    }
    write_number(type, contents.data(), i, number);
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
      if (std::abs(got - right) <= allowed.absolute + allowed.relative * std::abs(right)) continue;
    }
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  return fmt::format("{}[{}] is {}, expected {}; {} of {} numbers are wrong", name, first,
                     read_number(type, results.data(), first), read_number(type, expected.data(), first), wrong,
                     results.size() / type.bytes);
}

}  // namespace mlmq::kernel
