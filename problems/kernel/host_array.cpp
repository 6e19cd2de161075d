// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/host_array.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"

namespace mlmq::kernel {
namespace {

constexpr double random_whole_numbers = 100;  // default range of random whole numbers: 0 to 99

std::uint64_t seed_of(const array_definition& array) {
  std::uint64_t letters = 0;
  for (const char c : array.name) letters = mix64({letters, static_cast<std::uint64_t>(c)});
  return mix64({array.seed, letters});
}

/// Parses the header of a .npy file. Returns the offset of the numbers.
std::size_t parse_npy(const std::string& bytes, const element_type& type, std::size_t numbers,
                      const std::string& file) {
  const auto fail = [&](const std::string& message) { throw input_error(file + ": " + message); };
  if (bytes.size() < 10 || bytes[6] < 1 || bytes[6] > 3) fail("it is not a .npy file of version 1 to 3");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const bool is_first_version = bytes[6] == 1;
  if (bytes.size() < 12) fail("it is truncated");
  const std::size_t length =
      is_first_version ? byte(8) + 256 * byte(9) : byte(8) + 256 * (byte(9) + 256 * (byte(10) + 256 * byte(11)));
  const std::size_t start = (is_first_version ? 10 : 12) + length;
  if (bytes.size() < start) fail("it is truncated");
  const std::string header = bytes.substr(is_first_version ? 10 : 12, length);
  if (header.find("'" + type.npy + "'") == std::string::npos) {
    fail(fmt::format("its numbers are not of type {} ({})", type.npy, type.name));
  }
  if (header.find("'fortran_order': True") != std::string::npos) fail("its order is Fortran's; store it in C order");
  if (bytes.size() - start != numbers * type.bytes) {
    fail(fmt::format("it has {} bytes of numbers, expected {} numbers of {} bytes", bytes.size() - start, numbers,
                     type.bytes));
  }
  return start;
}

}  // namespace

std::vector<std::byte> read_array(const std::filesystem::path& file, const element_type& type, std::size_t count) {
  const std::string bytes = read_file(file);
  const std::size_t numbers = count * type.numbers;
  std::size_t start = 0;
  if (bytes.starts_with("\x93NUMPY")) {
    start = parse_npy(bytes, type, numbers, file.string());
  } else if (bytes.size() != numbers * type.bytes) {
    throw input_error(fmt::format("{}: it has {} bytes, expected {} numbers of {} bytes", file.string(), bytes.size(),
                                  numbers, type.bytes));
  }
  std::vector<std::byte> contents(numbers * type.bytes);
  std::memcpy(contents.data(), bytes.data() + start, contents.size());
  return contents;
}

std::vector<std::byte> initial_contents(const array_definition& array, const element_type& type, std::size_t count,
                                        const std::filesystem::path& folder) {
  if (array.fill == fill_rule::file) return read_array(folder / array.file, type, count);
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
