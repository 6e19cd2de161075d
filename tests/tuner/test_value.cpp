// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "message.hpp"
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
  CHECK(parse_value("0x20", value_type::integer) == value(std::int64_t{32}));
  CHECK(parse_value("0o17", value_type::integer) == value(std::int64_t{15}));
  CHECK(parse_value("-0", value_type::integer) == value(std::int64_t{0}));
  for (const char* wrong : {"017", "-0x20", "0x", "0x1g", "0o8", "1_000", "0b11", "1e3", " 1", "0x8000000000000000"}) {
    CHECK_FALSE(parse_value(wrong, value_type::integer));
  }
  CHECK(parse_value("True", value_type::boolean) == value(true));
  CHECK(parse_value("FALSE", value_type::boolean) == value(false));
  CHECK_FALSE(parse_value("tRUE", value_type::boolean));
  CHECK_FALSE(parse_value("+-1", value_type::integer));
  CHECK_FALSE(parse_value("", value_type::integer));
  CHECK(parse_value("2", value_type::real) == value(2.0));
  CHECK(parse_value(".5", value_type::real) == value(0.5));
  CHECK(to_text(*parse_value("-0.0", value_type::real)) == "0");
  CHECK(parse_value("0x20", value_type::real) == value(32.0));
  CHECK(parse_value("1e3", value_type::real) == value(1000.0));
  CHECK(parse_value("9007199254740994", value_type::real) == value(9007199254740994.0));
  CHECK_FALSE(parse_value("9007199254740993", value_type::real));  // no double
  CHECK(parse_value("36893488147419103232", value_type::real) == value(0x1p65));
  CHECK_FALSE(parse_value("36893488147419103233", value_type::real));
  CHECK_FALSE(parse_value("017", value_type::real));
  CHECK_FALSE(parse_value(".inf", value_type::real));
  CHECK_FALSE(parse_value("inf", value_type::real));
  CHECK_FALSE(parse_value("nan", value_type::real));
  CHECK_FALSE(parse_value("1e999", value_type::real));
  CHECK(parse_value("near-far", value_type::text) == value(std::string("near-far")));
  for (const char* bad : {"", "a\nb", "\x1b", "\xc3\xa4"}) CHECK_FALSE(parse_value(bad, value_type::text));
  for (const char* quoted : {"a b", "a,b", "a=b", "a'b", "a\"b"}) {
    CHECK(parse_value(quoted, value_type::text) == value(std::string(quoted)));
    CHECK_FALSE(is_plain_text(quoted));
  }
  CHECK(label_text(std::string("Tile<16,8>")) == R"("Tile<16,8>")");
  CHECK(label_text(std::string("near-far")) == "near-far");
}

TEST_CASE("a text without quotes has the first type that matches, or is refused if others read it differently") {
  CHECK(plain_value("False") == value(false));
  CHECK(plain_value("64") == value(std::int64_t{64}));
  CHECK(plain_value("0x40") == value(std::int64_t{64}));
  CHECK(plain_value("64.0") == value(64.0));
  CHECK(plain_value("1e3") == value(1000.0));
  for (const char* word : {"none", "y", "n", "near-far", "16x16", "1.5f", "1.2.3", "infinite", "0xyz", "e3", "2d"}) {
    CHECK(plain_value(word) == value(std::string(word)));
  }
  CHECK(message_of([] { (void)plain_value("9223372036854775808"); }) ==
        "'9223372036854775808' does not fit a signed 64-bit integer");
  for (const char* word :
       {"yes", "No",  "ON",    "off",   "tRUE",  "~",    "null", ".inf",  "-.INF", ".nan",  "inf", "NaN",
        "017", "-08", "1_000", "1_0.5", "0b101", "0O17", "0X20", "-0x20", "1:30",  "1e999", "+-3"}) {
    INFO(word);
    CHECK_FALSE(message_of([&] { (void)plain_value(word); }).empty());
    CHECK(is_ambiguous(word));
  }
}

TEST_CASE("numbers in expressions are exact") {
  CHECK(parse_number("18446744073709551615")->whole() == exact_number::wide{18446744073709551615U});
  CHECK(parse_number("0x9E3779B97F4A7C15")->whole() == exact_number::wide{0x9E3779B97F4A7C15U});
  CHECK(parse_number("0.5")->real() == 0.5);
  CHECK_FALSE(parse_number("18446744073709551617"));
  CHECK_FALSE(parse_number("1_000"));
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
