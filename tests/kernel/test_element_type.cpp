// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/element_type.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "problems/kernel/host_array.hpp"

namespace mlmq::kernel {
namespace {

const element_type& type_named(const std::string& name) {
  const element_type* const type = find_type(name);
  REQUIRE(type != nullptr);
  return *type;
}

std::vector<std::byte> bytes_of(const element_type& type, const std::vector<double>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * type.bytes);
  for (std::size_t i = 0; i < numbers.size(); ++i) write_number(type, bytes.data(), i, numbers[i]);
  return bytes;
}

}  // namespace

TEST_CASE("numbers of every type survive a round trip") {
  for (const std::string& name : type_names()) {
    CAPTURE(name);
    const element_type& type = type_named(name);
    const std::vector<std::byte> bytes = bytes_of(type, {0, 1, 100});
    CHECK(read_number(type, bytes.data(), 0) == 0);
    CHECK(read_number(type, bytes.data(), 1) == 1);
    CHECK(read_number(type, bytes.data(), 2) == 100);
    CHECK(type.element_bytes() == type.bytes * type.numbers);
  }
  CHECK(type_named("float4").element_bytes() == 16);
  CHECK(find_type("float5") == nullptr);
}

TEST_CASE("integers beyond the range of their type wrap around") {
  const auto stored = [](const std::string& name, double number) {
    const element_type& type = type_named(name);
    const std::vector<std::byte> bytes = bytes_of(type, {number});
    return read_number(type, bytes.data(), 0);
  };
  CHECK(stored("char", 200) == -56);
  CHECK(stored("unsigned", -1) == 4294967295.0);
  CHECK(stored("int", 4294967296.0) == 0);
}

TEST_CASE("half numbers are rounded to the nearest, ties to even") {
  const element_type& half = type_named("half");
  const auto rounded = [&](double number) {
    const std::vector<std::byte> bytes = bytes_of(half, {number});
    return read_number(half, bytes.data(), 0);
  };
  CHECK(rounded(1.0 + 1.0 / 1024) == 1.0 + 1.0 / 1024);
  CHECK(rounded(1.0 + 1.0 / 2048) == 1.0);               // a tie
  CHECK(rounded(1.0 + 3.0 / 2048) == 1.0 + 2.0 / 1024);  // a tie
  CHECK(rounded(2047.0 / 2048 + 1.0 / 4096) == 1.0);     // a carry into the exponent
  CHECK(rounded(65504) == 65504);
  CHECK(rounded(65520) == std::numeric_limits<double>::infinity());
  CHECK(rounded(std::ldexp(1, -24)) == std::ldexp(1, -24));  // the smallest subnormal number
  CHECK(rounded(std::ldexp(1, -14)) == std::ldexp(1, -14));
  CHECK(rounded(-0.5) == -0.5);
  CHECK(std::isnan(rounded(std::nan(""))));
}

TEST_CASE("results are compared within a tolerance, and the first wrong number is named") {
  const element_type& real = type_named("float");
  const auto expected = bytes_of(real, {1, 100, 0});
  CHECK(compare("c", real, expected, expected, {}).empty());
  CHECK(compare("c", real, bytes_of(real, {1, 100.5, 0}), expected, {.absolute = 0, .relative = 0.01}).empty());
  CHECK(compare("c", real, bytes_of(real, {1, 102, 0.5}), expected, {.absolute = 0, .relative = 0.01}) ==
        "c[1] is 102, expected 100; 2 of 3 numbers are wrong");
  CHECK(compare("c", real, bytes_of(real, {1, 100, std::nan("")}), expected, {.absolute = 10, .relative = 1}) ==
        "c[2] is nan, expected 0; 1 of 3 numbers are wrong");
  CHECK(compare("c", real, bytes_of(real, {1, 100, -0.0}), expected, {}).empty());
  const element_type& whole = type_named("int");
  CHECK(compare("c", whole, bytes_of(whole, {7}), bytes_of(whole, {8}), {.absolute = 10, .relative = 1}) ==
        "c[0] is 7, expected 8; 1 of 1 numbers are wrong");
}

TEST_CASE("contents follow the rule, the seed and the range") {
  const element_type& real = type_named("float");
  array_definition array;
  array.name = "a";
  array.fill = fill_rule::random;
  const auto first = initial_contents(array, real, 1000, ".");
  CHECK(initial_contents(array, real, 1000, ".") == first);
  for (std::size_t i = 0; i < 1000; ++i) {
    const double number = read_number(real, first.data(), i);
    REQUIRE((number >= 0 && number <= 1));
  }
  array.seed = 2;
  CHECK(initial_contents(array, real, 1000, ".") != first);
  array.minimum = -3;
  array.maximum = -2;
  CHECK(read_number(real, initial_contents(array, real, 1, ".").data(), 0) < -1.9);
  array.fill = fill_rule::index;
  CHECK(read_number(real, initial_contents(array, real, 9, ".").data(), 8) == 8);
  array.fill = fill_rule::ones;
  CHECK(read_number(real, initial_contents(array, real, 9, ".").data(), 8) == 1);
}

}  // namespace mlmq::kernel
