// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <catch2/catch.hpp>
#include <charconv>
#include <clocale>
#include <cstdint>
#include <limits>
#include <locale>
#include <vector>

#include "base/text.hpp"

namespace {

using namespace mlmq;

const std::vector<std::string> names = {"l1_capacity", "l2_batch", "delta", "wb", "threads"};

/// Writes 1,5 for 1.5 and 1.000 for 1000.
struct comma_numbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// Makes every new stream write numbers in that format.
class comma_locale {
 public:
  comma_locale() : before_(std::locale::global(std::locale(std::locale(), new comma_numbers))) {}
  comma_locale(const comma_locale&) = delete;
  comma_locale& operator=(const comma_locale&) = delete;
  ~comma_locale() { std::locale::global(before_); }

 private:
  std::locale before_;
};

}  // namespace

TEST_CASE("a typo finds the intended name") {
  CHECK(nearest_name("l1_capcity", names) == "l1_capacity");
  CHECK(nearest_name("l1-capacity", names) == "l1_capacity");
  CHECK(nearest_name("dleta", names) == "delta");
  CHECK(nearest_name("thread", names) == "threads");
  CHECK(nearest_name("l1_batch", names) == "l2_batch");
  CHECK(nearest_name("wb", names) == "wb");
}

TEST_CASE("a word that resembles no name finds nothing") {
  CHECK(nearest_name("colour", names) == "");
  CHECK(nearest_name("heavy_degree", names) == "");
  CHECK(nearest_name("delta", {}) == "");
  CHECK(did_you_mean_or_closest("dleta", names) == "; did you mean 'delta'?");
  CHECK(did_you_mean_or_closest("wwww", std::vector<std::string>{"wb", "wbb", "delta", "threads"}) ==
        "; the closest names are wb, wbb and delta");
  CHECK(did_you_mean_or_closest("wwww", {}) == "");
  CHECK(did_you_mean("colour", names) == "");
  CHECK(did_you_mean("dleta", names) == "; did you mean 'delta'?");
}

TEST_CASE("the nearest of several names is chosen, the first among equals") {
  const std::vector<std::string> close = {"alpha2", "alpha", "alpha3"};
  CHECK(nearest_name("alpha", close) == "alpha");
  CHECK(nearest_name("alpha9", close) == "alpha2");
}

TEST_CASE("a long word may differ in a third of its letters, a short one in two") {
  const std::vector<std::string> names = {"abcdefghijkl"};
  CHECK(nearest_name("abcdefghXXXX", names) == "abcdefghijkl");
  CHECK(nearest_name("abcdefgXXXXX", names) == "");
  CHECK(nearest_name("abXX", std::vector<std::string>{"abcd"}) == "abcd");
  CHECK(nearest_name("aXXX", std::vector<std::string>{"abcd"}) == "");
}

TEST_CASE("split keeps empty pieces and drops blanks around each") {
  using pieces = std::vector<std::string>;
  CHECK(split("a=1, b = 2 ,c", ',') == pieces{"a=1", "b = 2", "c"});
  CHECK(split("", ',') == pieces{""});
  CHECK(split(",", ',') == pieces{"", ""});
  CHECK(split("a,,b,", ',') == pieces{"a", "", "b", ""});
  CHECK(split(" \t one two \r\n", ',') == pieces{"one two"});
  CHECK(split("12.2.0\n", '\n') == pieces{"12.2.0", ""});
}

TEST_CASE("a decimal is the shortest that reads back to the same number") {
  CHECK(shortest_decimal(0.1) == "0.1");
  CHECK(shortest_decimal(0.1 + 0.2) == "0.30000000000000004");
  CHECK(shortest_decimal(8) == "8");
  CHECK(shortest_decimal(-0.0) == "-0");
  CHECK(shortest_decimal(1e300) == "1e+300");
  CHECK(shortest_decimal(1e6) == "1e+06");
  const std::array numbers = {5e-324,
                              std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::lowest(),
                              std::numeric_limits<double>::min(),
                              1.0 / 3,
                              -2.2250738585072011e-308,
                              9007199254740993.0};
  for (const double number : numbers) {
    const std::string text = shortest_decimal(number);
    CAPTURE(text);
    double again = 0;
    CHECK(std::from_chars(text.data(), text.data() + text.size(), again).ec == std::errc());
    CHECK(again == number);
  }
}

TEST_CASE("numbers are written the same way in every locale") {
  const comma_locale elsewhere;
  REQUIRE(std::use_facet<std::numpunct<char>>(std::locale()).decimal_point() == ',');
  CHECK(shortest_decimal(1234567.5) == "1234567.5");
  CHECK(shortest_decimal(0.5) == "0.5");
}
