// SPDX-License-Identifier: Apache-2.0
#include "problems/kernel/element_type.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "problems/kernel/array_file.hpp"
#include "problems/kernel/host_array.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tuner/expression.hpp"

namespace mlmq::kernel {
namespace {

using Catch::Matchers::Contains;

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

TEST_CASE("conditions know the sizes of all types") {
  for (const std::string& name : type_names()) {
    CAPTURE(name);
    tuner::symbol_table symbols;
    symbols.add_text(name);
    symbols.add_parameter("type", tuner::value_type::text);
    const std::vector<tuner::exact_number> slots = {symbols.number(name)};
    const auto size = static_cast<double>(type_named(name).element_bytes());
    CHECK(tuner::expression({"sizeof(type)", {}}, symbols).evaluate(slots).real() == size);
    CHECK(tuner::expression({"sizeof('" + name + "')", {}}, symbols).evaluate(slots).real() == size);
  }
}

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

TEST_CASE("arrays are read from CSV files, by column if the first line has names") {
  const tests::scratch_folder folder;
  const element_type& whole = type_named("short");
  const auto read = [&](const std::string& text, const std::string& array, std::size_t count) {
    std::ofstream(folder / "a.csv") << text;
    return read_array(folder / "a.csv", array, whole, count);
  };
  CHECK(read("1, 2,3\r\n\n4,5,6\n", "a", 6) == bytes_of(whole, {1, 2, 3, 4, 5, 6}));
  CHECK(read("\"x\",a\n1,-5\n2,6\n3,\n4\n", "a", 2) == bytes_of(whole, {-5, 6}));
  CHECK(read("x,a\n1,-5\n2,6\n3,\n4\n", "x", 4) == bytes_of(whole, {1, 2, 3, 4}));
  CHECK_THROWS_WITH(read("x,y\n1,2\n", "z", 1), Contains("a.csv:1: no column is named 'z'"));
  CHECK_THROWS_WITH(read("1\ntwo\n", "a", 2), Contains("a.csv:2: 'two' is not a number"));
  CHECK_THROWS_WITH(read("1\n2.5\n", "a", 2), Contains("a.csv:2: short cannot hold 2.5"));
  CHECK_THROWS_WITH(read("1\n70000\n", "a", 2), Contains("a.csv:2: short cannot hold 70000"));
  CHECK_THROWS_WITH(read("1\n2\n", "a", 3), Contains("array 'a' has 2 numbers there, expected 3"));
  CHECK_THROWS_WITH(read("1\n2\n", "a", 1), Contains("a.csv:2: array 'a' has more than the expected 1 numbers"));
}

}  // namespace mlmq::kernel
