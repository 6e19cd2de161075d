// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/host_array.hpp"

#include <fmt/format.h>

#include <algorithm>
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
  const bool is_real = type.is_real();
  const double whole_numbers = type.npy == "|b1" ? 2 : random_whole_numbers;
  const double width = array.maximum.value_or(is_real ? 1 : whole_numbers) - array.minimum;
  // The extreme numbers fit, so all others do.
  double least = array.fill == fill_rule::ones ? 1 : 0;
  double most = array.fill == fill_rule::index ? static_cast<double>(numbers - 1) : least;
  if (array.fill == fill_rule::random) {
    least = is_real ? array.minimum : std::floor(array.minimum);
    most = is_real ? array.minimum + width : std::ceil(array.minimum + width) - 1;
  }
  for (const double extreme : {least, most}) {
    if (std::isfinite(width) && store_number(type, contents.data(), 0, extreme)) continue;
    throw input_error(fmt::format("{}array '{}' would contain {}, which {} cannot hold", array.place.prefix(),
                                  array.name, extreme, type.name));
  }
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

void check_files(const definition& kernel, std::span<const std::pair<std::string, tuner::value>> sizes) {
  const bindings values({sizes.begin(), sizes.end()}, kernel.texts);
  const auto check = [&](const std::string& file, const std::string& name, const placed_text& type_text,
                         const placed_text& count_text) {
    const element_type* type = nullptr;
    std::size_t count = 0;
    try {
      type = &values.type(type_text);
      count = values.whole_number(count_text, 1, most_elements);
    } catch (const input_error&) {
      return;  // they depend on parameters
    } catch (const backends::launch_error&) {
      return;  // that the number is wrong is the error to report
    }
    check_array(kernel.folder / values.substituted(file), name, *type, count);
  };
  for (const array_definition& array : kernel.arrays) {
    if (array.fill == fill_rule::file) check(array.file, array.name, array.type, array.count);
    const auto expected = kernel.reference.files.find(array.name);
    if (expected != kernel.reference.files.end()) check(expected->second, array.name, array.type, array.count);
  }
  for (const scalar_definition& scalar : kernel.scalars) {
    if (!scalar.file.empty()) check(scalar.file, scalar.name, scalar.type, {.text = "1", .place = scalar.place});
  }
}

std::vector<std::byte> contents_of(const scalar_definition& scalar, const bindings& values,
                                   const std::filesystem::path& folder) {
  const element_type& type = values.type(scalar.type);
  std::vector<std::byte> contents(type.element_bytes());
  const auto store = [&](const placed_text& type_text, const placed_text& text, std::size_t offset) {
    const element_type& stored = values.type(type_text);
    const tuner::exact_number value = values.number(text);
    for (std::size_t i = 0; i < stored.numbers; ++i) {
      if (store_number(stored, contents.data() + offset, i, value)) continue;
      throw backends::launch_error(fmt::format("{}'{}' is {}, which {} cannot hold", text.place.prefix(), text.text,
                                               value.real(), values.substituted(type_text.text)));
    }
  };
  if (!scalar.file.empty()) return read_array(folder / values.substituted(scalar.file), scalar.name, type, 1);
  if (scalar.fields.empty()) {
    if (type.is_structure() && values.number(scalar.value).is_true()) {
      throw input_error(fmt::format("{}'{}' is a structure, whose value can only be 0; give its 'fields' or a 'file'",
                                    scalar.place.prefix(), scalar.name));
    }
    store(scalar.type, scalar.value, 0);
    return contents;
  }
  std::size_t offset = 0;
  std::size_t alignment = 1;
  for (const field_definition& field : scalar.fields) {
    const element_type& stored = values.type(field.type);
    // Vectors of two and four numbers are aligned as a whole, up to 16 bytes.
    const std::size_t whole = stored.numbers == 3 || stored.is_structure() ? stored.bytes : stored.element_bytes();
    const std::size_t aligned = std::min<std::size_t>(whole, 16);
    alignment = std::max(alignment, aligned);
    offset = (offset + aligned - 1) / aligned * aligned;
    if (offset + stored.element_bytes() <= contents.size()) store(field.type, field.value, offset);
    offset += stored.element_bytes();
  }
  if (const std::size_t bytes = (offset + alignment - 1) / alignment * alignment; bytes != contents.size()) {
    throw input_error(fmt::format("{}the fields of '{}' have {} bytes, but its type has {}", scalar.place.prefix(),
                                  scalar.name, bytes, contents.size()));
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
    if (type.is_real()) {
      const double right = read_number(type, expected.data(), i);
      const double got = read_number(type, results.data(), i);
      // Also true for +0 and -0. A NaN is equal to nothing but the same NaN.
      if (std::isfinite(right) &&
          std::abs(got - right) <= std::max(allowed.absolute, allowed.relative * std::abs(right))) {
        continue;
      }
      if (allowed.ulp > 0 && std::isfinite(got) && std::isfinite(right) &&
          ulp_distance(type, results.data(), expected.data(), i) <= allowed.ulp)
        continue;
    }
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return "";
  return fmt::format("{}[{}] is {}, expected {}; {} of {} numbers are wrong", name, first,
                     number_text(type, results.data(), first), number_text(type, expected.data(), first), wrong,
                     results.size() / type.bytes);
}

}  // namespace mlmq::kernel
