// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <limits>

#include "message.hpp"
#include "tuner/range.hpp"

using namespace mlmq::tuner;

namespace {

value v(int number) { return static_cast<std::int64_t>(number); }
value v(double number) { return number; }

std::string texts(const std::vector<value>& values) {
  std::string text;
  for (const value& element : values) text.append(text.empty() ? "" : " ").append(to_json(element));
  return text;
}

}  // namespace

TEST_CASE("arithmetic ranges include their end and do not drift") {
  CHECK(texts(arithmetic_range(v(64), v(256), v(64))) == "64 128 192 256");
  CHECK(texts(arithmetic_range(v(64), v(255), v(64))) == "64 128 192");
  CHECK(texts(arithmetic_range(v(5), v(5), v(1))) == "5");
  CHECK(texts(arithmetic_range(v(-2), v(2), v(2))) == "-2 0 2");
  CHECK(texts(arithmetic_range(v(0.1), v(0.7), v(0.1))) == "0.1 0.2 0.3 0.4 0.5 0.6 0.7");
  CHECK(texts(arithmetic_range(v(-0.3), v(0.3), v(0.1))) == "-0.3 -0.2 -0.1 0.0 0.1 0.2 0.3");
  CHECK(texts(arithmetic_range(v(1), v(2), v(0.5))) == "1.0 1.5 2.0");
  const auto many = arithmetic_range(v(0.0), v(999.999), v(0.001));
  CHECK(many.size() == 1'000'000);
  CHECK(many[123'457] == value(123.457));
}

TEST_CASE("geometric ranges include their end and stay exact") {
  CHECK(texts(geometric_range(v(64), v(256), v(2))) == "64 128 256");
  CHECK(texts(geometric_range(v(0.5), v(64), v(2))) == "0.5 1.0 2.0 4.0 8.0 16.0 32.0 64.0");
  CHECK(texts(geometric_range(v(0.1), v(1000), v(10))) == "0.1 1.0 10.0 100.0 1000.0");
  CHECK(texts(geometric_range(v(1), v(3), v(1.5))) == "1.0 1.5 2.25");
  const auto powers = geometric_range(v(1.0), v(0x1p60), v(2));
  CHECK(powers.back() == value(0x1p60));
  CHECK(geometric_range(v(1), value(INT64_MAX / 4), v(2)).size() == 61);
}

TEST_CASE("ranges reach the largest numbers and end there") {
  const value largest(INT64_MAX);
  const value half(std::int64_t{1} << 62);
  CHECK(texts(arithmetic_range(value(INT64_MAX - 1), largest, v(1))) == "9223372036854775806 9223372036854775807");
  CHECK(texts(arithmetic_range(v(-5), largest, half)) == "-5 4611686018427387899 9223372036854775803");
  CHECK(texts(arithmetic_range(value(INT64_MIN), largest, largest)) == "-9223372036854775808 -1 9223372036854775806");
  CHECK(message_of([&] { (void)arithmetic_range(value(INT64_MIN), largest, v(1)); }) ==
        "range: more than 1000000 values");
  CHECK(message_of([&] { (void)arithmetic_range(largest, value(INT64_MAX - 1), v(1)); }) ==
        "range: 'to' (9223372036854775806) is below 'from' (9223372036854775807)");
  CHECK(message_of([&] { (void)geometric_range(largest, value(INT64_MAX - 1), v(2)); }) ==
        "range: 'to' (9223372036854775806) is below 'from' (9223372036854775807)");
  CHECK(texts(geometric_range(v(1e307), v(std::numeric_limits<double>::max()), v(10))) == "1e+307 1e+308");
}

TEST_CASE("ranges that make no sense are refused") {
  CHECK(message_of([] { (void)arithmetic_range(v(5), v(1), v(1)); }) == "range: 'to' (1) is below 'from' (5)");
  CHECK(message_of([] { (void)arithmetic_range(v(1), v(5), v(0)); }) == "range: 'step' must be positive, not 0");
  CHECK(message_of([] { (void)arithmetic_range(v(1), v(5), v(-1)); }) == "range: 'step' must be positive, not -1");
  CHECK(message_of([] { (void)geometric_range(v(1), v(5), v(1)); }) == "range: 'factor' must be above 1, not 1");
  CHECK(message_of([] { (void)geometric_range(v(0), v(5), v(2)); }) == "range: 'from' must be positive, not 0");
  CHECK(message_of([] { (void)arithmetic_range(value(std::int64_t{INT64_MAX}), v(1e19), v(2)); }) ==
        "range: 'from' must be a number that is exact as a real, not 9223372036854775807");
  CHECK(message_of([] { (void)arithmetic_range(std::string("a"), v(5), v(2)); }) ==
        "range: 'from' must be a number, not a");
  CHECK(message_of([] { (void)arithmetic_range(v(0), v(1e9), v(1)); }) == "range: more than 1000000 values");
  CHECK(message_of([] { (void)geometric_range(v(1.0), v(2.0), v(1.0000000001)); }) ==
        "range: more than 1000000 values");
}
