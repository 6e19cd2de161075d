// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "tuner/value.hpp"

using namespace mlmq::tuner;

TEST_CASE("values have one canonical text") {
  CHECK(to_text(true) == "true");
  CHECK(to_text(std::int64_t{-8}) == "-8");
  CHECK(to_text(0.1) == "0.1");
  CHECK(to_text(2.0) == "2");
  CHECK(to_text(1e300) == "1e+300");
  CHECK(to_text(std::string("vector")) == "vector");
  CHECK(to_json(value(2.0)) == "2.0");
  CHECK(to_json(value(std::int64_t{2})) == "2");
  CHECK(to_json(value(1e300)) == "1e+300");
  CHECK(to_json(value(std::string("a\"b"))) == R"("a\"b")");
}

TEST_CASE("texts are parsed by type") {
  CHECK(parse_value("true", value_type::boolean) == value(true));
  CHECK_FALSE(parse_value("yes", value_type::boolean));
  CHECK(parse_value("+12", value_type::integer) == value(std::int64_t{12}));
  CHECK(parse_value("-9223372036854775808", value_type::integer) == value(INT64_MIN));
  CHECK_FALSE(parse_value("9223372036854775808", value_type::integer));
  CHECK_FALSE(parse_value("2.0", value_type::integer));
  CHECK_FALSE(parse_value("0x10", value_type::integer));
  CHECK_FALSE(parse_value("+-1", value_type::integer));
  CHECK_FALSE(parse_value("", value_type::integer));
  CHECK(parse_value("2", value_type::real) == value(2.0));
  CHECK(parse_value(".5", value_type::real) == value(0.5));
  CHECK(to_text(*parse_value("-0.0", value_type::real)) == "0");
  CHECK_FALSE(parse_value("inf", value_type::real));
  CHECK_FALSE(parse_value("nan", value_type::real));
  CHECK_FALSE(parse_value("1e999", value_type::real));
  CHECK(parse_value("near-far", value_type::text) == value(std::string("near-far")));
  for (const char* bad : {"", "a b", "a,b", "a=b", "a'b", "a\"b", "\xc3\xa4"}) {
    CHECK_FALSE(parse_value(bad, value_type::text));
  }
}

TEST_CASE("the type of a text is guessed from narrow to wide") {
  CHECK(guess_value("false") == value(false));
  CHECK(guess_value("64") == value(std::int64_t{64}));
  CHECK(guess_value("64.0") == value(64.0));
  CHECK(guess_value("none") == value(std::string("none")));
  CHECK(guess_value("99999999999999999999") == value(99999999999999999999.0));
}

TEST_CASE("only integers convert, only to reals, and only exactly") {
  CHECK(convert(std::int64_t{8}, value_type::real) == value(8.0));
  CHECK_FALSE(convert((std::int64_t{1} << 53) + 1, value_type::real));
  CHECK_FALSE(convert(8.0, value_type::integer));
  CHECK_FALSE(convert(true, value_type::integer));
  CHECK_FALSE(convert(std::string("8"), value_type::integer));
}

TEST_CASE("values of different types differ") {
  CHECK(value(std::int64_t{2}) != value(2.0));
  CHECK(value(std::int64_t{2}) < value(std::int64_t{10}));
  CHECK(value(true) < value(std::int64_t{0}));
}
